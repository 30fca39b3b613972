"""The yardstick: pyarrow's own Flight server (C++), serving one mapped file and storing puts with an fsync."""
import json
import os
import sys

import pyarrow as pa
import pyarrow.flight as fl


class Server(fl.FlightServerBase):
    def __init__(self, folder, source):
        super().__init__("grpc://127.0.0.1:0")
        self.folder = folder
        self.source = source

    def do_get(self, context, ticket):
        return fl.RecordBatchStream(pa.ipc.open_stream(pa.memory_map(self.source)))

    def do_put(self, context, descriptor, reader, writer):
        path = os.path.join(self.folder, descriptor.path[0].decode())
        with pa.OSFile(path, "wb") as sink:
            with pa.ipc.new_stream(sink, reader.schema) as stream:
                for chunk in reader:
                    stream.write_batch(chunk.data)
        descriptor_number = os.open(path, os.O_RDONLY)
        os.fsync(descriptor_number)
        os.close(descriptor_number)
        writer.write(b"{}")


server = Server(sys.argv[1], sys.argv[2])
print(json.dumps({"grpc": f"grpc://127.0.0.1:{server.port}"}), flush=True)
server.serve()
