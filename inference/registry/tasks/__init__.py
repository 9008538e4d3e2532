"""Work on models that takes a while: durable rows that workers lease, with progress, retries and cancellation."""
