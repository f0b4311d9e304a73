"""Formulas as MathML, made by KaTeX when the pages are built: no script and no network when they are read."""
import html
import json
import os
import re
import subprocess

from docutils import nodes

# One Node process answers all formulas, a line of JSON each. Debian keeps its modules where only its own
# Node looks, so that the path is given.
SCRIPT = r"""
const katex = require('katex');
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const {tex, display} = JSON.parse(line);
  let answer;
  try {
    answer = {mathml: katex.renderToString(tex, {output: 'mathml', displayMode: display, strict: 'ignore'})};
  } catch (fault) {
    answer = {fault: String(fault)};
  }
  console.log(JSON.stringify(answer));
});
"""
DONE = {}
NODE = []


def render(tex, display):
    if not NODE:
        environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
        NODE.append(subprocess.Popen(["node", "-e", SCRIPT], env=environment, text=True, encoding="utf-8",
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    if (tex, display) not in DONE:
        NODE[0].stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
        NODE[0].stdin.flush()
        answer = json.loads(NODE[0].stdout.readline())
        if "fault" in answer:
            raise RuntimeError(f"a formula cannot be read: {tex}: {answer['fault']}")
        # Without the formula's source, which excerpts of the search would show beside it.
        DONE[tex, display] = re.sub(r"<annotation[^>]*>.*?</annotation>", "", answer["mathml"], flags=re.S)
    return DONE[tex, display]


def inline(self, node):
    self.body.append(render(node.astext(), False))
    raise nodes.SkipNode


def block(self, node):
    self.body.append('<div class="formula" role="math" aria-label="%s">%s</div>'
                     % (html.escape(node.astext(), quote=True), render(node.astext(), True)))
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    app.connect("config-inited", lambda _, config: setattr(config, "html_math_renderer", "mathml"))
    return {"parallel_read_safe": True, "parallel_write_safe": False}
