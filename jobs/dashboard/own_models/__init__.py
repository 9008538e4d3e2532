"""The pages of models of an account: upload, versions, aliases and variants."""
