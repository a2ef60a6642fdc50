function putBeside(a, b) {
  const place = document.getElementById("beside"), runs = JSON.parse(document.getElementById("figures").textContent);
  const [before, after] = [a, b].map((id) => runs.find((run) => run.id === id));
  const add = (parent, name, text, value) => {
    const element = parent.appendChild(document.createElement(name));
    element.textContent = text ?? "";
    if (value !== undefined) element.dataset.value = value;
    return element;
  };
  const note = (text) => { add(place, "p", text).className = "note"; };
  const shown = (value) => (Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4))));
  const signed = (value) => (value > 0 ? "+" : "") + shown(value);
  const differing = () => Object.keys(before.may_differ)
    .filter((name) => name in after.may_differ && before.may_differ[name] !== after.may_differ[name])
    .map((name) => `${name}: ${before.may_differ[name]} in ${a}, ${after.may_differ[name]} in ${b}`);
  const delta = (row, other) => {
    let sum = 0;
    for (const x of row.points) for (const y of other.points) sum += Math.sign(y - x);
    return sum / (row.points.length * other.points.length);
  };
  place.textContent = "";
  const missing = [[before, a], [after, b]].filter(([run]) => !run).map(([, id]) => id);
  if (missing.length) return note(`This page has no figures of ${missing.join(" and ")}. The command above compares any two runs of the store.`);
  for (const text of [...before.caveats, ...after.caveats]) note(`Caution: ${text}.`);
  for (const text of differing()) note(`Another condition, which may be the cause of a difference: ${text}.`);
  const others = new Map(after.rows.map((row) => [row.name, row])), common = before.rows.filter((row) => others.get(row.name)?.unit === row.unit);
  const lone = (run, other) => run.rows.filter((row) => !other.rows.some((one) => one.name === row.name && one.unit === row.unit));
  for (const [run, other] of [[before, after], [after, before]])
    for (const row of lone(run, other)) note(`Missing data: ${row.name} is only in ${run.id}.`);
  if (!common.length) return note("The two runs have no figure in common.");
  note(`No verdict: a difference may be chance, and equal medians do not exclude a regression. latlab compare ${a} ${b} tests each row, with ` +
    "intervals and thresholds. The figures are of all cores and boots together. Cliff's delta is the chance that a value after is higher, " +
    "less the chance that it is lower; “about” is from 40 quantiles.");
  const room = add(place, "div"), table = add(room, "table"), head = add(add(table, "thead"), "tr"), body = add(table, "tbody");
  room.className = "wide";
  room.tabIndex = 0;
  table.className = "figures";
  table.setAttribute("aria-label", `Figures of ${a} and ${b}`);
  for (const [index, text] of ["Test and metric", "Unit", "Median before", "Median after", "Difference", "Ratio", "Cliff's delta"].entries()) {
    const cell = add(head, "th", text);
    cell.scope = "col";
    if (index < 2) cell.className = "words";
  }
  for (const row of common) {
    const other = others.get(row.name), line = add(body, "tr"), change = other.quartiles[1] - row.quartiles[1], effect = delta(row, other);
    for (const [name, text] of [["th", row.name], ["td", row.unit]]) add(line, name, text).className = "words";
    line.firstChild.scope = "row";
    for (const { n, quartiles: [low, median, high] } of [row, other]) {
      const cell = add(line, "td", shown(median), [low, median, high, n]);
      add(cell, "br");
      add(cell, "span", `${shown(low)} to ${shown(high)}, n ${n}`).className = "soft";
    }
    add(line, "td", signed(change), change);
    add(line, "td", row.quartiles[1] > 0 ? shown(other.quartiles[1] / row.quartiles[1]) : "-", other.quartiles[1] / row.quartiles[1]);
    add(line, "td", (row.is_whole && other.is_whole ? "" : "about ") + signed(Number(effect.toFixed(2))), effect);
  }
  note("Below each median: the quartiles and the number of values.");
}
