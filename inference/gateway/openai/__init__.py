"""`/v1/embeddings` as OpenAI's client asks for it and reads it."""
