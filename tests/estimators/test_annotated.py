"""Estimators take AnnData, whatever its X and wherever it lies."""

import warnings

import numpy as np
import pandas as pd
import pytest
from samples import annotated, dense
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import specsel

anndata = pytest.importorskip("anndata")

pytestmark = pytest.mark.filterwarnings("ignore:.*:Warning:anndata")

Y = np.arange(60) % 2
X = np.random.default_rng(0).standard_normal((60, 12))
X[::2, :3] += 4
X[np.abs(X) < 0.5] = 0
NAMES = [f"g{i}" for i in range(12)]
SELECTORS = [
    specsel.QAlpha(k=1, n_features_to_select=3),
    specsel.QAlpha(k=1, n_features_to_select=3, reweight=True),
    specsel.SupervisedQAlpha(n_features_to_select=3),
    specsel.AlignmentSelector(n_features_to_select=3),
    specsel.GreedySparseLDA(n_features_to_select=3),
    specsel.StableLSI(n_boot=100, retain=0.01, random_state=0),
    specsel.StabilitySelection(
        specsel.QAlpha(k=1, n_features_to_select=3), n_resamples=3, random_state=0
    ),
]


@pytest.fixture(params=[np.asarray, sparse.csr_matrix, sparse.csc_array])
def adata(request):
    return annotated(request.param(X))


@pytest.mark.parametrize("selector", SELECTORS, ids=lambda one: type(one).__name__)
def test_in_memory_as_a_view_and_in_a_file(adata, selector, tmp_path):
    wanted = selector.fit(X, Y).support_
    kept = selector.transform(X)
    adata.write_h5ad(tmp_path / "X.h5ad")
    backed = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    for form in (adata, adata[:, NAMES], backed, backed[:, NAMES]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            selector.fit(form, Y)
            found = selector.transform(form)
            again = selector.fit_transform(form, Y)
        assert selector.feature_names_in_.tolist() == NAMES
        assert selector.support_.tolist() == wanted.tolist()
        assert type(found).__module__.partition(".")[0] in ("numpy", "scipy")
        for one in (found, again):
            np.testing.assert_allclose(dense(one), dense(kept), atol=1e-8)
    backed.file.close()


def test_names_must_agree(adata):
    selector = specsel.QAlpha(k=1, n_features_to_select=3).fit(adata)
    for other in (adata[:, NAMES[::-1]], adata[:, NAMES[:5]]):
        with pytest.raises(
            ValueError, match=r"^X: has other names of features than QAlpha was fit"
        ):
            selector.transform(other)
    frame = pd.DataFrame(X, columns=NAMES)
    np.testing.assert_array_equal(selector.transform(frame), dense(selector.transform(adata)))
    selector.fit(frame)
    assert selector.transform(adata).shape == (60, 3)
    selector.fit(X)
    assert not hasattr(selector, "feature_names_in_")
    assert selector.transform(adata).shape == (60, 3)
    with pytest.raises(ValueError, match="features"):
        selector.transform(adata[:, :5])


def test_sparse_matrices_left_in_a_file(tmp_path):
    annotated(sparse.csc_array(X)).write_h5ad(tmp_path / "X.h5ad")
    backed = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    selector = specsel.QAlpha(k=1, n_features_to_select=3)
    found = selector.fit_transform(backed.X)
    assert found.format == "csc"
    np.testing.assert_array_equal(found.toarray(), selector.fit_transform(X))
    backed.file.close()
    with pytest.raises(ValueError, match=r"^X = 'X\.npy': is the name of a file; pass what it"):
        selector.fit("X.npy")


def test_in_a_pipeline(adata):
    steps = make_pipeline(
        specsel.QAlpha(k=1, n_features_to_select=3), StandardScaler(with_mean=False)
    )
    assert steps.fit_transform(adata).shape == (60, 3)


@pytest.mark.parametrize("reweight", [True, False])
@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_matrix])
def test_sparse_matrices_stay_compressed_as_they_are(form, reweight):
    selector = specsel.QAlpha(k=1, n_features_to_select=3, reweight=reweight, center=False)
    found = selector.fit(X).transform(form(X))
    assert found.format == form(X).format
    np.testing.assert_allclose(found.toarray(), selector.transform(X), atol=1e-12)
