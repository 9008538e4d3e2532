"""Serve `/v1/embeddings` in the form that OpenAI's client sends and reads."""
