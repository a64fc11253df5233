"""Model descriptions in the form of a config.json."""

from __future__ import annotations

from mfu_gui.texts.marking import N_

SENTENCES: dict[str, str | tuple[str, ...]] = {
    "unknown_model_type": (
        N_("Models of the type “{model_type}” cannot be read; did you mean “{nearest}”? These can: {supported}."),
        N_("Models of the type “{model_type}” cannot be read. These can: {supported}."),
        N_("Models of the type “{model_type}” cannot be read."),
    ),
    "config_positions_change": N_("Models of the type “{model_type}” cannot be counted: how many positions there are, or how "
                                  "wide they are, changes from layer to layer. Parameters and FLOPs stay unknown."),
    "config_codebook_decoder": N_("Models of the type “{model_type}” cannot be counted: at each position a second decoder runs "
                                  "over the codebooks of sound. Parameters and FLOPs stay unknown."),
    "model_type_missing": N_("The configuration has no “model_type”, so it is not known what kind of model it describes."),
    "config_of_folder": N_("Read from the config.json in the folder “{folder}”."),
    "assumed_default": N_("Not in the file, taken from the defaults of “{model_type}”: {key} = {value}."),
    "config_key_missing": N_("The key “{key}” is missing, and there is no default for it in models of the type “{model_type}”."),
    "config_disagrees": N_("“{key}” is {value}, but “{other}”, which means the same, is {other_value}."),
    "config_list_length": N_("The list has {found_length} entries where {length} are needed."),
    "config_heads_divide": N_("{heads} attention heads cannot be divided evenly among {kv_heads} key-value heads."),
    "config_head_dim": N_("The hidden size {hidden} cannot be divided evenly by {heads} heads, and no head size is given."),
    "config_top_k": N_("{top_k} experts for each token are more than the {experts} experts there are."),
    "config_unsupported": N_("Models with this setting cannot be read: {value}."),
    "config_other_head": N_("“{architecture}” gives rewards, classes or embeddings; of this type, only language models can be read."),
    "config_without_head": N_("“{architecture}” has no output head, so none is counted."),
    "config_quantized": (
        N_("The weights are stored quantized ({method}); shapes and FLOPs are those of the model before that."),
        N_("The weights are stored quantized; shapes and FLOPs are those of the model before that."),
    ),
    "config_size_differs": N_("“{name}” promises about {promised:count} parameters, but this configuration has {total:count}."),
    "config_text_only": N_("Only the text part of this model is counted; “{key}” is left out."),
    "config_parameters_only": N_("The parameters of “{key}” are counted; its FLOPs are not."),
    "config_instruction_not_counted": N_(
        "What the instruction costs in the model “{key}” is not counted: its length is not part of a run."),
    "config_prompt_not_counted": N_("The learned prompt before each sequence (“{key}”) is not counted as tokens."),
    "config_entities_not_run": N_("The tables, queries and head for entities are counted as parameters only: the text "
                                  "has words alone."),
    "config_block_sparse": N_("The block-sparse layers of this model are counted as full attention."),
    "config_few_global_positions": N_(
        "Every position is counted with its window alone; a few positions that see everything come on top."),
    "config_tower_windows": N_("The windows of the vision tower are not counted: each of its layers sees the whole image."),
    "file_is_diffusers": N_("The key “{key}” shows that this is a diffusion model's file, not the configuration of a language model."),
    "file_is_tokenizer": N_("The key “{key}” shows that this is a tokenizer's file, not the configuration of a model."),
    "file_is_adapter": N_("The key “{key}” shows that this is an adapter's file; use the config.json of the model it was made for."),
    "file_is_weights_index": N_("The key “{key}” shows that this is an index of weights; use the config.json beside it."),
    "file_is_processor": N_("The key “{key}” shows that this is a processor's file, not the configuration of a model."),
    "file_is_generation": N_("The key “{key}” shows that this is a file of generation settings; use the config.json beside it."),
    "file_is_quantization": N_("The key “{key}” shows that this is a file of quantization settings; use the config.json beside it."),
    "file_is_sentence_transformers": N_("The key “{key}” shows that this is an embedding model's file, not the configuration of a language model."),
    "file_is_deepspeed": N_("The key “{key}” shows that this is a DeepSpeed file, not the configuration of a model."),
}
