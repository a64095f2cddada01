from specsel.cli import main

raise SystemExit(main())
