for (const frame of document.querySelectorAll(".flame.drawing")) {
  const boxes = [...frame.firstElementChild.children].map((svg) => ({
    svg, left: parseFloat(svg.getAttribute("x")), wide: parseFloat(svg.getAttribute("width")), row: +svg.getAttribute("y"),
    said: svg.querySelector("title").textContent, words: [...svg.querySelectorAll("text")].map((one) => one.outerHTML).join(""),
  }));
  const whole = { left: 0, wide: 100, row: -1 };
  let shown = whole, at = boxes[0];
  const bar = document.createElement("p"), find = document.createElement("input"), out = document.createElement("button"), told = document.createElement("span");
  bar.className = "note flame-bar";
  find.type = "search"; find.placeholder = "function"; find.setAttribute("aria-label", "Find a function in this picture");
  out.type = "button"; out.textContent = "Whole span"; out.disabled = true;
  told.setAttribute("role", "status");
  bar.append(find, " ", out, " ", told);
  frame.before(bar);
  const inside = (box, outer) => box.left >= outer.left - 0.001 && box.left + box.wide <= outer.left + outer.wide + 0.001;
  const fit = (box, part) => {
    const room = Math.floor((part / 100 * frame.clientWidth - 8) / 7.4), name = box.said.split(": ")[0];
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("x", 4); text.setAttribute("y", 14);
    text.textContent = name.length <= room ? name : room >= 3 ? name.slice(0, room - 1) + "…" : "";
    box.svg.querySelectorAll("text").forEach((one) => one.remove());
    box.svg.append(text);
  };
  const zoom = (outer) => {
    shown = outer;
    out.disabled = outer === whole;
    for (const box of boxes) {
      const above = box.row < outer.row && inside(outer, box), seen = above || inside(box, outer) && box.row >= outer.row;
      const part = above || box === outer ? 100 : 100 * box.wide / outer.wide;
      box.svg.style.display = seen ? "" : "none";
      box.svg.setAttribute("x", `${above ? 0 : +(100 * (box.left - outer.left) / outer.wide).toFixed(4)}%`);
      box.svg.setAttribute("width", `${+part.toFixed(4)}%`);
      if (outer !== whole) { fit(box, part); continue; }
      box.svg.querySelectorAll("text").forEach((one) => one.remove());
      box.svg.insertAdjacentHTML("beforeend", box.words);
    }
  };
  const go = (box) => box && box.svg.focus();
  const stand = (box) => {
    at.svg.setAttribute("tabindex", -1);
    at = box;
    at.svg.setAttribute("tabindex", 0);
    told.textContent = box.said;
  };
  const seen = () => boxes.filter((box) => box.svg.style.display !== "none");
  const near = { ArrowUp: (one) => one.row < at.row && inside(at, one), ArrowDown: (one) => one.row > at.row && inside(one, at) };
  const move = {
    ArrowUp: () => seen().filter(near.ArrowUp).sort((a, b) => b.row - a.row)[0],
    ArrowDown: () => seen().filter(near.ArrowDown).sort((a, b) => a.row - b.row || b.wide - a.wide)[0],
    ArrowLeft: () => seen().filter((one) => one.row === at.row && one.left < at.left).sort((a, b) => b.left - a.left)[0],
    ArrowRight: () => seen().filter((one) => one.row === at.row && one.left > at.left).sort((a, b) => a.left - b.left)[0],
  };
  frame.setAttribute("role", "group");
  for (const box of boxes) {
    box.svg.setAttribute("role", "button");
    box.svg.setAttribute("aria-label", box.said);
    box.svg.setAttribute("tabindex", box === at ? 0 : -1);
    box.svg.addEventListener("focus", () => stand(box));
    box.svg.addEventListener("click", () => { zoom(box === shown ? whole : box); go(box); });
    box.svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") zoom(box === shown ? whole : box);
      else if (event.key === "Escape") zoom(whole);
      else if (move[event.key]) go(move[event.key]());
      else return;
      event.preventDefault();
    });
  }
  out.addEventListener("click", () => zoom(whole));
  find.addEventListener("input", () => {
    const wanted = find.value.trim().toLowerCase(), hits = boxes.filter((box) => wanted && box.said.split(": ")[0].toLowerCase().includes(wanted));
    for (const box of boxes) box.svg.classList.toggle("found", hits.includes(box));
    told.textContent = wanted ? `${hits.length} of ${boxes.length} boxes` : "";
  });
  find.addEventListener("keydown", (event) => { if (event.key === "Enter") go(seen().find((box) => box.svg.classList.contains("found"))); });
}
