"""Which module reads which ``model_type``; a module is imported when one of its types is read."""

from __future__ import annotations

from importlib import import_module

from mfu_gui.formats.hf_config.access import Family

_TYPES = {
    "llama": "llama mistral ministral ministral3 cwm arcee jais2 nemotron helium granite granite_swa smollm3 seed_oss "
             "granite4_vision_text "
             "iquestcoder hyperclovax exaone internlm3 internlm2 internlm Yi aquila baichuan xverse skywork orion qwen",
    "qwen": "qwen2 qwen3 qwen2_moe qwen3_moe qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text qwen3_vl_text "
            "qwen3_vl_moe_text qwen3_omni_moe_text",
    "mllama": "mllama_text_model",
    "gemma": "gemma gemma2 vaultgemma gemma3_text",
    "gemma3n": "gemma3n_text",
    "gpt": "gpt2 imagegpt gpt-sw3 openai-gpt gpt_bigcode gptj codegen gpt_neo gpt_neox gpt_neox_japanese opt biogpt "
           "xglm bloom mpt falcon persimmon",
    "phi": "phi phi-msft phi3 phi4_multimodal_text phi3small phimoe stablelm starcoder2",
    "cohere": "cohere cohere2 cohere2_moe olmo olmo2 olmo3 olmoe flex_olmo",
    "glm": "chatglm glm glm4 glm4_moe sarvam_moe solar_open glm4v_text glm4v_moe_text glm_ocr_text",
    "deepseek": "deepseek deepseek_v2 deepseek_v3 kimi_k2 deepseek_v32 glm_moe_dsa glm4_moe_lite sarvam_mla mistral4 "
                "dots1 deepseek_ref minicpm3 youtu longcat_flash",
    "experts": "mixtral minimax_m2 gpt_oss llama4_text granitemoe granitemoeshared granitemoe_swa ernie4_5 "
               "paddleocr_vl_text ernie4_5_moe dbrx grok-1 mimo mimo_v2_flash hy_v3 exaone4 exaone_moe apertus "
               "nanochat aria_text",
    "mamba": "mamba mamba2 falcon_mamba",
    "hybrid": "jamba bamba granitemoehybrid falcon_h1 zamba zamba2",
    "nemotron_h": "nemotron_h",
    "deepseek_v4": "deepseek_v4",
    "linear": "qwen3_next qwen3_5_text qwen3_5_moe_text olmo_hybrid kimi_linear bailing_hybrid minimax "
              "minimax_text_01 minimax_m1 lfm2 lfm2_moe",
    "recurrent": "rwkv rwkv5 recurrent_gemma xlstm",
    "seq2seq": "t5 mt5 umt5 longt5 switch_transformers bart mbart plbart pegasus marian blenderbot blenderbot-small "
               "m2m_100 nllb-moe whisper t5gemma",
    "squeezebert": "squeezebert",
    "t5gemma2": "t5gemma2",
    "zaya": "zaya",
    "seq2seq_more": "pegasus_x mvp led bigbird_pegasus fsmt",
    "encoders": "bert roberta xlm-roberta camembert ernie distilbert electra albert modernbert",
    "encoders_more": "luke mobilebert convbert",
    "bert_like": "data2vec-text ibert splinter megatron-bert roberta-prelayernorm xlm-roberta-xl bert-generation "
                 "jina_embeddings_v3 mpnet layoutlm longformer big_bird xmod esm nomic_bert gte roformer rembert "
                 "deberta deberta-v2 eurobert modernbert-decoder xlm flaubert xlnet",
    "vision": "vit deit dinov2 dinov2_with_registers clip clip_vision_model siglip siglip_vision_model",
    "vision_more": "vit_msn ijepa vit_mae videomae beit data2vec-vision dinov3_vit siglip2 siglip2_vision_model "
                   "metaclip_2",
    "decoders_more": "kosmos_2_text_model chameleon emu3_text_model diffllama doge cpmant",
    "frontier": "bitnet gemma4_text gemma4_unified_text minimax_m3 minimax_m3_vl_text step3p5 ernie4_5_vl_moe_text",
    "others": "ctrl jetmoe axk1 mellum kolibri1 flint",
    "hunyuan": "hunyuan_v1_dense hunyuan_v1_moe hunyuan openelm nemotron-nas afmoe laguna minicpm",
}
MODULES: dict[str, str] = {name: module for module, names in _TYPES.items() for name in names.split()}

# Other names of the same class.
ALIASES = {
    "yi": "Yi",
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
    "mixformer-sequential": "phi-msft",
    "InternLM2ForCausalLM": "internlm2",
}


def family_of(model_type: str) -> Family | None:
    """The reader of a model type, or None."""
    name = ALIASES.get(model_type, model_type)
    module = MODULES.get(name)
    if module is None:
        return None
    readers: dict[str, Family] = import_module(f"mfu_gui.formats.hf_config.families.{module}").READERS
    return readers[name]
