"""What the components of a count are called, for tables and charts."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

COMPONENTS: dict[str, str] = {
    "attention_proj": N_("Attention projections"),
    "attention_qk": N_("Attention scores (QKᵀ)"),
    "attention_av": N_("Attention values (AV)"),
    "attention_sdpa": N_("Attention scores and values"),
    "attention_indexer": N_("Attention indexer"),
    "attention": N_("Attention"),
    "mlp": N_("MLP"),
    "experts": N_("Experts"),
    "shared_experts": N_("Shared experts"),
    "expert_latent_proj": N_("Expert latent projections"),
    "router": N_("Router"),
    "shared_expert_gate": N_("Shared expert gate"),
    "lm_head": N_("LM head"),
    "lm_head_transform": N_("LM head transform"),
    "mtp_projection": N_("Multi-token prediction join"),
    "multi_token_prediction": N_("Multi-token prediction"),
    "embedding": N_("Embedding"),
    "token_embedding": N_("Token embedding"),
    "position_embedding": N_("Position embedding"),
    "embedding_projection": N_("Embedding projections"),
    "norms": N_("Norms"),
    "ssm_proj": N_("State-space projections"),
    "ssm_conv": N_("State-space convolution"),
    "ssm_core": N_("State-space scan"),
    "linear_attention_proj": N_("Linear attention projections"),
    "linear_attention_conv": N_("Linear attention convolution"),
    "linear_attention_core": N_("Linear attention core"),
    "patch_or_frontend_conv": N_("Patch or frame front end"),
    "parameters_term": N_("Parameters (6N term)"),
    "attention_term": N_("Attention (quadratic term)"),
    "other": N_("Other"),
}
