"""What is billed: drawn from usage, numbered without gaps, never changed; what was wrong is put right by a credit note."""
