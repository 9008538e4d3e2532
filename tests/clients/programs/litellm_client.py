"""Use the product through litellm as an OpenAI-compatible endpoint."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # Else it waits for a list of prices from the network.

import litellm

AT = {"api_base": f"{os.environ['MAAS_URL']}/v1", "api_key": os.environ["MAAS_API_KEY"]}
LINE = b'{"custom_id":"a","method":"POST","url":"/v1/embeddings","body":{"model":"embed","input":"a"}}\n'

for model in ("openai/embed", "hosted_vllm/embed", "openai_like/embed"):
    answer = litellm.embedding(model=model, input=["an invoice", "a letter"], **AT)
    assert [len(row["embedding"]) for row in answer.data] == [384, 384], model
    assert answer.usage.prompt_tokens > 0
try:
    litellm.embedding(model="openai/nothing", input=["a"], **AT)
except litellm.NotFoundError as error:
    assert "nothing" in str(error)
else:
    raise AssertionError("a model that is not here was not refused")
OPENAI = {"custom_llm_provider": "openai", **AT}
given = litellm.create_file(file=("a.jsonl", LINE), purpose="batch", **OPENAI)
batch = litellm.create_batch(completion_window="24h", endpoint="/v1/embeddings", input_file_id=given.id, **OPENAI)
assert litellm.retrieve_batch(batch_id=batch.id, **OPENAI).input_file_id == given.id
