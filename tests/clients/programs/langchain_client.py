"""Use the OpenAI embeddings of LangChain and LlamaIndex with the product's address."""

import asyncio
import os

from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.openai import OpenAIEmbedding

URL, KEY = f"{os.environ['MAAS_URL']}/v1", os.environ["MAAS_API_KEY"]

# Without this option it sends ids of OpenAI's tokenizer, which it fetches from the network.
chain = OpenAIEmbeddings(model="embed", base_url=URL, api_key=KEY, check_embedding_ctx_length=False)
assert [len(one) for one in chain.embed_documents(["an invoice", "a letter"])] == [384, 384]
assert len(asyncio.run(chain.aembed_query("an invoice"))) == 384

index = OpenAIEmbedding(model_name="embed", api_base=URL, api_key=KEY, dimensions=16)
assert [len(one) for one in index.get_text_embedding_batch(["an invoice", "two\nlines"])] == [16, 16]
