"""What one dense MLP or mixture of experts adds to the ledger."""

from __future__ import annotations

from mfu_gui.engine.builder import Builder, Scope
from mfu_gui.engine.model import Dense, MoE


def _mlp(scope: Scope, hidden: int, width: int, matrices: int, biases: bool, copies: int = 1, used: int = 1) -> None:
    if matrices == 3:
        scope.matrix("gate", hidden, width, bias=biases, copies=copies, used=used)
    scope.matrix("up", hidden, width, bias=biases, copies=copies, used=used)
    scope.matrix("down", width, hidden, bias=biases, copies=copies, used=used)


def count_dense(ffn: Dense, build: Builder) -> None:
    """Gate, up and down; no gate when the MLP is plain."""
    _mlp(build.scope("mlp", "mlp"), build.hidden, ffn.width, ffn.matrices, ffn.biases)


def count_moe(ffn: MoE, build: Builder) -> None:
    """Router, routed experts (``top_k`` of ``experts`` executed), shared experts and their gate."""
    hidden = build.hidden
    if ffn.router:
        router = build.scope("router", "router")
        router.matrix("router", hidden, ffn.experts + ffn.identity_experts, bias=ffn.router_bias)
        if ffn.router_buffer:
            router.vector("router_correction", ffn.experts + ffn.identity_experts, kind="buffer")
    used = ffn.experts if build.as_executed and ffn.runs_all_experts else ffn.top_k
    experts = build.scope("experts", "experts")
    width = ffn.latent_width or hidden
    if ffn.latent_width is not None:
        latent = build.scope("expert_latent_proj", "shared_experts")
        latent.matrix("latent_down", hidden, width)
        latent.matrix("latent_up", width, hidden)
    _mlp(experts, width, ffn.width, ffn.matrices, ffn.biases, ffn.experts, used)
    if ffn.shared_width:
        _mlp(build.scope("shared_experts", "shared_experts"), hidden, ffn.shared_width,
             ffn.shared_matrices or ffn.matrices, False)
    if ffn.shared_gate:
        build.scope("shared_expert_gate", "shared_expert_gate").matrix("shared_gate", hidden, 1)
