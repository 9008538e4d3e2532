"""MLServer: adaptive batching in one process; the model runs in a thread, so that the next batch gathers meanwhile."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from mlserver import MLModel
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.types import InferenceRequest, InferenceResponse
from served import RowModel, TextModel, Vectors, served_model


class Peer(MLModel):  # type: ignore[misc]  # not installed where types are checked
    async def load(self) -> bool:
        self._model: TextModel | RowModel = served_model()
        self._turn = ThreadPoolExecutor(1)
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        answers = await asyncio.get_running_loop().run_in_executor(self._turn, self._answers, payload)
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", answers)])

    def _answers(self, payload: InferenceRequest) -> Vectors:
        given = payload.inputs[0]
        if isinstance(self._model, TextModel):
            return self._model.answers(StringCodec.decode_input(given))
        return self._model.answers_to_array(np.asarray(given.data.root, np.float32).reshape(given.shape))
