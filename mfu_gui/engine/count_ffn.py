"""What one dense MLP, mixture of experts, single matrix or vector adds to the ledger."""

from __future__ import annotations

from mfu_gui.engine.builder import Builder, Scope
from mfu_gui.engine.model import AlternatingUpdates, AttentionResiduals, Dense, HyperConnections, Linear, MoE, Vector
from mfu_gui.engine.terms import ParameterKind


def _mlp(scope: Scope, hidden: int, width: int, matrices: int, biases: bool, copies: int = 1, used: int = 1,
         needs: bool | None = None) -> bool:
    inner = False
    if matrices == 3:
        inner = scope.matrix("gate", hidden, width, bias=biases, copies=copies, used=used, needs=needs)
    up = scope.matrix("up", hidden, width, bias=biases, copies=copies, used=used, needs=needs)
    return scope.matrix("down", width, hidden, bias=biases, copies=copies, used=used, needs=inner or up)


def count_dense(ffn: Dense, build: Builder) -> bool:
    """Gate, up and down; no gate when the MLP is plain."""
    return _mlp(build.scope("mlp", "mlp"), build.hidden, ffn.width, ffn.matrices, ffn.biases)


def count_moe(ffn: MoE, build: Builder) -> bool:
    """Router, routed experts (``top_k`` of ``experts`` executed), shared experts and their gate."""
    hidden, out = build.hidden, False
    if ffn.router:
        router = build.scope("router", "router")
        out = router.matrix("router", hidden, ffn.experts + ffn.identity_experts, bias=ffn.router_bias)
        if ffn.router_buffer:
            router.vector("router_correction", ffn.experts + ffn.identity_experts, kind="buffer")
    used = ffn.experts if build.as_executed and ffn.runs_all_experts else ffn.top_k
    experts = build.scope("experts", "experts")
    if ffn.latent_width is None:
        out = _mlp(experts, hidden, ffn.width, ffn.matrices, ffn.biases, ffn.experts, used) or out
    else:
        latent = build.scope("expert_latent_proj", "shared_experts")
        needs = latent.matrix("latent_down", hidden, ffn.latent_width)
        routed = _mlp(experts, ffn.latent_width, ffn.width, ffn.matrices, ffn.biases, ffn.experts, used, needs)
        out = latent.matrix("latent_up", ffn.latent_width, hidden, needs=routed) or out
    if ffn.shared_width:
        out = _mlp(build.scope("shared_experts", "shared_experts"), hidden, ffn.shared_width,
                   ffn.shared_matrices or ffn.matrices, False) or out
    if ffn.shared_gate:
        gate = build.scope("shared_expert_gate", "shared_expert_gate").matrix("shared_gate", hidden, 1)
        out = out or gate
    return out


def count_linear(ffn: Linear, build: Builder) -> bool:
    """One matrix of a layer's own."""
    return build.scope(ffn.component, ffn.store).matrix(ffn.name, ffn.inputs or build.hidden,
                                                        ffn.outputs or build.hidden, bias=ffn.bias)


def count_vector(ffn: Vector, build: Builder) -> bool:
    """Learned numbers without a product."""
    kind: ParameterKind = "buffer" if ffn.buffer else "norm" if ffn.store == "norms" else "vector"
    build.scope(ffn.store, ffn.store).vector(ffn.name, ffn.size, kind=kind)
    return False


def count_hyper_connections(ffn: HyperConnections, build: Builder) -> bool:
    """One matrix for the weights of all streams, and the mixing of the streams, for each sublayer."""
    streams, scope = ffn.streams, build.scope("hyper_connection", "other")
    outputs = (2 + streams) * streams
    needs = scope.matrix("stream_weights", streams * build.hidden, outputs, copies=ffn.connections,
                         used=ffn.connections)
    scope.vector("stream_biases", outputs + 3, copies=ffn.connections)
    return scope.product("stream_mix", 2 * ffn.connections * streams * streams * build.hidden, build.positions(),
                         first=needs, second=build.x)


def count_alternating_updates(ffn: AlternatingUpdates, build: Builder) -> bool:
    """The router twice, the coefficients, and the prediction of all streams from all."""
    streams, scope = ffn.streams, build.scope("hyper_connection", "other")
    router = scope.matrix("stream_router", build.hidden, streams, times=2)
    predict = scope.matrix("predict", streams, streams**2, needs=router)
    scope.matrix("correct", streams, streams, needs=router)
    return scope.product("stream_mix", 2 * streams * streams * build.hidden, build.positions(), first=predict,
                         second=build.x)


def count_attention_residuals(part: AttentionResiduals, build: Builder) -> bool:
    """A score for each source, by the query of its place, and the weighted sums."""
    build.scope("norms", "norms").vector("residual_norm", build.hidden, kind="norm", copies=part.mixes)
    flops, trained = 2 * part.sources * build.hidden, build.policy.weights
    build.add("attention_residual", "other", "residual_query", rows=build.hidden, copies=part.mixes, used=part.mixes,
              kind="matrix", per_unit=flops, measure=build.positions(), weight_gradient=trained,
              input_gradient=build.x)
    return build.scope("attention_residual", "other").product(
        "residual_mix", flops, build.positions(), first=build.x or trained, second=build.x)
