"""A page in another language: every word that a running widget says was looked up in the catalogue."""

import json
import re
from html import escape

import pytest
from playwright.sync_api import expect

from scripts.site.catalogue import shown
from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME

NAME = "zero-memory"
TEMPLATE = re.compile(r'(<template class="s[we]-strings"[^>]*>)(.*?)(</template>)', re.DOTALL)


def translated(route):
    """The page as another language has it: every text of its own script in brackets."""
    response = route.fetch()
    texts = [message.id for message in shown() if isinstance(message.id, str)]
    made = escape(json.dumps({text: f"⟦{text}⟧" for text in texts}, ensure_ascii=False), quote=False)
    body = TEMPLATE.sub(lambda match: match[1] + made + match[3], response.text())
    route.fulfill(response=response, body=body)


@pytest.mark.engine
def test_every_word_of_a_running_widget_comes_from_the_catalogue(enter, site, record):
    page = enter(None)
    page.context.route("**/repo/zero-fsdp/?*", translated)
    with site.held("pyodide.asm.wasm") as gate, site.held("snapshot.bin") as other:
        page.goto(HOME[NAME].path + "?gpus=99")
        instrument = Instrument(page, NAME).drawn()
        expect(instrument.note).to_have_text(re.compile(r"^⟦GPUs: .*⟧ ⟦Until Python answers.*⟧$"))
        expect(instrument.status).to_contain_text("⟦Downloading Python⟧")
        bar = instrument.element.get_by_role("progressbar", name="⟦Share of Python downloaded⟧")
        expect(bar).to_have_text(re.compile(r"^⟦\d+ %⟧$"))
        gate.let_through(gate.parts)
        other.let_through(other.parts)
        instrument.ready()
    expect(instrument.status).to_have_text("⟦Ready: Python in this browser computes every answer.⟧")
