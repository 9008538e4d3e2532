"""Triton through nvidia-pytriton: its C++ front and dynamic batcher, the model behind its Python backend."""

import os
from typing import Any

import numpy as np
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig
from served import MAX_TOGETHER, PORT, TextModel, served_model

model = served_model()
is_text = isinstance(model, TextModel)


@batch  # type: ignore[untyped-decorator]
def infer(x: Any) -> dict[str, Any]:
    if is_text:
        return {"y": model.answers([text.decode() for text in x[:, 0]])}
    return {"y": model.answers_to_array(x)}


if __name__ == "__main__":
    config = TritonConfig(
        http_address="127.0.0.1",
        http_port=PORT,
        # Of 2, 4 and 8, on two cores: 4,500, 2,800 and 2,200 calls a second of the tiny model.
        http_thread_count=int(os.environ.get("PEER_HTTP_THREADS", "2")),
        allow_grpc=False,
        allow_metrics=False,
    )
    with Triton(config=config) as triton:
        triton.bind(
            model_name="peer",
            infer_func=infer,
            inputs=[Tensor(name="x", dtype=bytes if is_text else np.float32, shape=(1,) if is_text else (-1,))],
            outputs=[Tensor(name="y", dtype=np.float32, shape=(-1,))],
            # No delay: what has gathered while a batch ran is the next one.
            config=ModelConfig(
                max_batch_size=MAX_TOGETHER,
                batcher=DynamicBatcher(max_queue_delay_microseconds=int(os.environ.get("PEER_DELAY_US", "0"))),
            ),
        )
        triton.serve()
