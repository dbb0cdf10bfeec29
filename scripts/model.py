"""A small language model behind the wire formats of OpenAI and Anthropic.

serve MODEL: serves it on a free port of 127.0.0.1, prints the port, ends when stdin closes.
ask URL: posts the body on stdin, and prints the response as it comes over the wire.
"""

import socket
import sys
import urllib.request

# ChatML with tools; the model's own template drops them.
TEMPLATE = """{% if tools %}<|im_start|>system
You have these tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(model):
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = model
    settings.hostname = "127.0.0.1"
    settings.port = free_port()
    settings.n_ctx = 4096
    settings.use_jinja = True
    settings.chat_template = TEMPLATE
    settings.cpuparams.n_threads = 1
    # It serves as long as it is kept.
    server = xllamacpp.Server(settings)
    print(settings.port, flush=True)
    sys.stdin.read()
    del server


def ask(url):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, sys.stdin.buffer.read(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        while chunk := response.read1():
            sys.stdout.buffer.write(chunk)


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]](sys.argv[2])
