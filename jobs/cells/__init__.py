"""The exchange between cells: models, plans and the directory of accounts, and a report of each cell."""
