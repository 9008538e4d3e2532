"""What an account lets itself and its keys spend in a month."""
