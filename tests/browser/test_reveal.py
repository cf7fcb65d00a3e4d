"""Steps that open hidden things on the way, in a real browser."""

SHOW = """async () => {
  const { Stage } = await import("/static/stage.js");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  document.body.append(svg);
  const card = (face, text) => `<g id="card" data-face="${face}" transform="translate(5 5)"><text>${text}</text></g>`;
  const scene = { size: [20, 20], title: "", parts: { card: card("down", "?") }, order: ["card"], cards: {}, plates: [], panels: false };
  const stage = new Stage(svg), seen = [];
  const there = () => [...svg.children].filter((one) => !one.dataset.gone);
  const look = () => seen.push(there().map((one) => `${one.id} ${one.textContent}`).join(", "));
  stage.patch(scene); look();
  const steps = [
    { event: null, go: {}, flash: [], ms: 60, show: [card("up", "Queen"), '<g id="lens"><text>!</text></g>'] },
    { event: null, go: { lens: "translate(9 9)" }, flash: ["card"], ms: 60 },
  ];
  const rest = stage.rest.bind(stage);
  stage.rest = async (ms) => { look(); await rest(ms); };
  await stage.show({ ...scene }, steps); look();
  return seen.filter((one, k) => one !== seen[k - 1]);
}"""


def test_a_step_shows_a_thing_until_the_next_scene(server, chromium):
    page = chromium.new_page()
    page.goto(server.address + "/about")
    assert page.evaluate(SHOW) == ["card ?", "card Queen, lens !", "card ?"]
    page.close()
