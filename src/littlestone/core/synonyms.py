"""Words that people try, and what to call instead: our own learner, or the line of scikit-learn that does it."""

from __future__ import annotations

from collections.abc import Iterable

KNN = "ls.OnlineKernel() learns online; sklearn.neighbors.KNeighborsClassifier fits; ls.certify judges it"
RIDGE = "ls.OnlineLinearRegression() learns online; sklearn.linear_model.Ridge fits; ls.leave_one_out judges it"
LASSO = "ls.FTRLProximal(l1=...) learns online; sklearn.linear_model.Lasso fits"
SVM = "ls.KernelOGD() learns online; sklearn.svm.SVC fits; ls.svm_report judges it"
FOREST = "ls.OnlineKernel() learns online; sklearn.ensemble.RandomForestClassifier fits; ls.certify judges it"
TREE = "sklearn.tree.DecisionTreeClassifier fits; ls.prune and ls.pruning_path cut it back"
BOOSTED = (
    "ls.AdaBoost() has its theorems; sklearn.ensemble.HistGradientBoostingClassifier fits trees"
)
BAYES = "ls.OnlineLinear() learns online; sklearn.naive_bayes.GaussianNB counts, with partial_fit"
PARZEN = 'ls.NearestMean("gaussian:0.5") classifies by densities; sklearn.neighbors.KernelDensity estimates one'
ARIMA = "there is none here; give the forecasts of several models to ls.play(ls.Tracker(), forecasts, outcomes)"
HARMONIC = "ls.HarmonicClassifier(), or ls.graphs.label_propagation on a graph"
ALL_SUBSETS = (
    'kernel="anova:2" has products of two features; kernel="all-subsets" has all, prod(1 + x_i z_i)'
)
INTERVALS = "ls.intervals(forecasts, outcomes), or ls.Intervals() one round at a time"

# A word in small letters, without dashes, underscores and blanks: what to call.
SYNONYMS = {
    "adaboost": "ls.AdaBoost(), fitted to all rows at once: it is no online learner",
    "adaboostclassifier": "ls.AdaBoost()",
    "adam": "ls.AdaGrad(), or ls.CoinBetting(), which has no rate",
    "aggregating": "ls.AggregatingAlgorithm()",
    "anova": ALL_SUBSETS,
    "anovakernel": ALL_SUBSETS,
    "arima": ARIMA,
    "bagging": "ls.BaggingVote(), fitted to all rows at once",
    "bayes": BAYES,
    "bayesianregression": "ls.OnlineLinearRegression()",
    "bernoullinb": BAYES,
    "boosting": BOOSTED,
    "cart": TREE,
    "conformal": INTERVALS,
    "conformalprediction": INTERVALS,
    "contextualbandit": "ls.LinUCB(), or ls.LinearThompson()",
    "crossvalidation": "ls.leave_one_out(model, X, y)",
    "decisiontree": TREE,
    "decisiontreeclassifier": TREE,
    "drift": "ls.Tracker() follows the best expert as it changes",
    "eg": "ls.EGPlusMinus(), exponentiated gradient on examples; ls.Hedge() on experts",
    "egreedy": "ls.EpsilonGreedy()",
    "epsgreedy": "ls.EpsilonGreedy()",
    "ewa": "ls.Hedge(), or ls.WeightedAverage() for predictions that are mixed",
    "exponentialweightedaverage": "ls.WeightedAverage()",
    "exponentiatedgradient": "ls.EGPlusMinus()",
    "ftl": "ls.FollowTheLeader()",
    "ftrl": "ls.FTRLProximal() on examples; ls.LazyFTRL() on a convex set",
    "gaussiannb": BAYES,
    "gbm": BOOSTED,
    "gradientboosting": BOOSTED,
    "gradientdescent": "ls.OGD()",
    "hardmargin": SVM,
    "hoeffdingtree": FOREST,
    "kfold": "ls.leave_one_out(model, X, y)",
    "kmeans": "ls.KernelKMeans(); sklearn.cluster.KMeans without a kernel",
    "knn": KNN,
    "kneighborsclassifier": KNN,
    "nearestneighbor": KNN,
    "nearestneighbour": KNN,
    "nearestneighbours": KNN,
    "kernelridge": "ls.KernelRidgeLOO()",
    "krr": "ls.KernelRidgeLOO()",
    "labelpropagation": HARMONIC,
    "labelspreading": "ls.SoftHarmonic()",
    "lasso": LASSO,
    "lda": 'ls.KernelFisher("linear")',
    "linearregression": "ls.OnlineLinearRegression()",
    "logisticregression": "ls.Logistic()",
    "logloss": "ls.losses.LogLoss()",
    "entropic": 'ls.losses.LogLoss(), which is loss="log"',
    "logreg": "ls.Logistic()",
    "loo": "ls.leave_one_out(model, X, y)",
    "lms": "ls.OGD(loss='square')",
    "majorityvote": "ls.WeightedMajority()",
    "multiarmedbandit": "ls.UCB1(), or ls.EXP3() where losses are chosen against it",
    "multiplicativeweights": "ls.Hedge()",
    "mw": "ls.Hedge()",
    "mwu": "ls.Hedge()",
    "naivebayes": BAYES,
    "neuralnetwork": "there is none here; ls.OnlineKernel() learns what is not linear",
    "mlp": "there is none here; ls.OnlineKernel() learns what is not linear",
    "omd": "ls.MirrorDescent()",
    "onlinegradientdescent": "ls.OGD()",
    "onlinenewtonstep": "ls.OnlineNewton()",
    "ons": "ls.OnlineNewton()",
    "pa": "ls.PassiveAggressive()",
    "paclassifier": "ls.PassiveAggressive()",
    "passiveaggressiveclassifier": "ls.PassiveAggressive()",
    "paregressor": "sklearn.linear_model.PassiveAggressiveRegressor; ls.OnlineLinearRegression() here",
    "parzen": PARZEN,
    "parzenwindow": PARZEN,
    "pca": "there is none here; sklearn.decomposition.PCA fits",
    "pruning": TREE,
    "quantileregression": "ls.QuantileTracker(), or ls.OGD(loss='pinball')",
    "randomforest": FOREST,
    "randomforestclassifier": FOREST,
    "rbf": 'kernel="gaussian:0.5"',
    "ridge": RIDGE,
    "ridgeregression": RIDGE,
    "rls": RIDGE,
    "rwm": "ls.RandomizedWeightedMajority()",
    "sgd": "ls.OGD(), or ls.Logistic()",
    "sgdclassifier": "ls.OGD(), or ls.Logistic()",
    "sgdregressor": "ls.OGD(loss='square')",
    "softmaxregression": "ls.Softmax()",
    "spectralclustering": "ls.SpectralClusters()",
    "svc": SVM,
    "svm": SVM,
    "svr": SVM,
    "thompsonsampling": "ls.Thompson(), or ls.GaussianThompson()",
    "ts": "ls.Thompson()",
    "ucb": "ls.UCB1(), or ls.KLUCB()",
    "vowpalwabbit": "ls.NormalizedAdaptive(), the rule of vw; ls.play reads its files",
    "vw": "ls.NormalizedAdaptive(), the rule of vw; ls.play reads its files",
    "weightedvote": "ls.WeightedMajority()",
    "winnow": "ls.Winnow1(), ls.Winnow2() or ls.WinnowEG()",
    "wm": "ls.WeightedMajority()",
    "xgboost": BOOSTED,
}


def call_for(word: str) -> str | None:
    """What to call for a word that people try, or None.

    >>> call_for("Epsilon greedy"), call_for("e-greedy")
    (None, 'ls.EpsilonGreedy()')
    >>> call_for("logistic regression")
    'ls.Logistic()'
    """
    return SYNONYMS.get(_plain(word))


def suggest_name(word: str, names: Iterable[str]) -> str:
    """The end of a message about a name that there is not: what to call, or the nearest name.

    >>> suggest_name("Hegde", ["Hedge", "play"])
    '; did you mean Hedge?'
    """
    call = call_for(word)
    if call:
        return f"; {call}"
    known = list(names)
    plain = {_plain(name): name for name in known}
    if _plain(word) in plain:
        return f"; did you mean {plain[_plain(word)]}?"
    import difflib  # only an error needs it

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def no_attribute(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that a module does not have."""
    hint = "" if name.startswith("_") else suggest_name(name, known)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")


def suggest_key(word: str, keys: Iterable[str]) -> str:
    """The end of a message about a learner that there is not: what to call, or the nearest keys.

    >>> suggest_key("Fixed Share", ["hedge", "fixed-share"])
    'did you mean fixed-share?'
    """
    known = list(keys)
    call = call_for(word)
    if call:
        return call
    same = [key for key in known if _plain(key) == _plain(word)]
    import difflib  # likewise

    near = same or difflib.get_close_matches(word.lower(), known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"


def _plain(word: str) -> str:
    return "".join(c for c in word.lower() if c.isalnum())
