"""The operators' views of plans. Plans have prices of models, so they are edited where models are known."""
