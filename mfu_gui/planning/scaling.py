"""How many tokens a model, or how large a model a budget of FLOPs deserves.

Sources: Hoffmann et al. 2022, arXiv 2203.15556 (rule of 20 tokens per parameter, Table 3, Eq. 10);
Besiroglu et al. 2024, arXiv 2404.10102 (the same fit done again: the printed constants of the former
do not agree with its own tables).
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mfu_gui.engine.errors import Notice
from mfu_gui.planning.formula import formula

FitName = Literal["hoffmann", "epoch_replication"]
TOKENS_PER_PARAMETER = 20.0
LARGEST_STUDIED_FLOPS = 6e23
"""About what Chinchilla itself was trained with; the fits say nothing about more."""


class LossFit(msgspec.Struct, frozen=True, kw_only=True):
    """Loss = E + A/N^alpha + B/D^beta."""

    a: float
    b: float
    alpha: float
    beta: float


FITS: dict[FitName, LossFit] = {
    "hoffmann": LossFit(a=406.4, b=410.7, alpha=0.34, beta=0.28),
    "epoch_replication": LossFit(a=482.01, b=2085.43, alpha=0.3478, beta=0.3658),
}


class Optimum(msgspec.Struct, frozen=True, kw_only=True):
    """A model and its tokens for a budget of FLOPs."""

    parameters: float
    tokens: float

    @property
    def tokens_per_parameter(self) -> float:
        """Ratio of the two."""
        return self.tokens / self.parameters


def _within_studies(flops: float, fit: FitName = "hoffmann") -> tuple[Notice, ...]:
    if flops <= LARGEST_STUDIED_FLOPS:
        return ()
    return (Notice("scaling_extrapolated", "plan.tokens", {"flops": flops, "limit": LARGEST_STUDIED_FLOPS}),)


@formula("S1.chinchilla_table3", expression="6 × parameters × tokens", unit="FLOP", basis="model",
         source="Hoffmann et al. 2022, arXiv 2203.15556, table 3")
def training_flops_by_size(parameters: float, tokens: float) -> float:
    """Training FLOPs of a dense model by 6ND, as the table of compute-optimal models has them."""
    return 6.0 * parameters * tokens


@formula("S2.parametric", expression="N = G·(C/6)^(β/(α+β)), D = C/(6N), G = (αA/βB)^(1/(α+β))", basis="model",
         source="Hoffmann et al. 2022, arXiv 2203.15556, eq. 4 and 10; Besiroglu et al. 2024, arXiv 2404.10102",
         domain=_within_studies)
def parametric_optimum(flops: float, fit: FitName = "hoffmann") -> Optimum:
    """Parameters and tokens of least loss for ``flops``, by one of the two fits."""
    constants = FITS[fit]
    parameters = _scale(constants) * (flops / 6.0) ** (constants.beta / (constants.alpha + constants.beta))
    return Optimum(parameters=parameters, tokens=flops / (6.0 * parameters))


def _scale(fit: LossFit) -> float:
    return float((fit.alpha * fit.a / (fit.beta * fit.b)) ** (1.0 / (fit.alpha + fit.beta)))


def _within_studies_of(parameters: float, fit: FitName = "hoffmann") -> tuple[Notice, ...]:
    return _within_studies(6.0 * parameters * tokens_for_parameters(parameters, fit))


@formula("S2.tokens_for_parameters", expression="D = (N/G)^((α+β)/β) ÷ N", unit="tokens", basis="model",
         source="Hoffmann et al. 2022, arXiv 2203.15556, eq. 10, solved for D", domain=_within_studies_of)
def tokens_for_parameters(parameters: float, fit: FitName = "hoffmann") -> float:
    """Tokens for which a model of this size would be the compute-optimal one."""
    constants = FITS[fit]
    power = (constants.alpha + constants.beta) / constants.beta
    return float((parameters / _scale(constants)) ** power / parameters)


@formula("S3.20_tokens", expression="N = √(C/120), D = 20·N", basis="model",
         source="rule of thumb from Hoffmann et al. 2022, arXiv 2203.15556", domain=_within_studies)
def twenty_tokens_optimum(flops: float) -> Optimum:
    """Parameters and tokens by the rule of 20 tokens a parameter, with C = 6ND."""
    parameters = (flops / (6.0 * TOKENS_PER_PARAMETER)) ** 0.5
    return Optimum(parameters=parameters, tokens=TOKENS_PER_PARAMETER * parameters)
