// Sliders: every number was computed beforehand, one for each step.
const data = JSON.parse(document.getElementById("report-data").textContent);
const trust = data.trust;
const byId = (id) => document.getElementById(id);
const percent = (share, digits) => (100 * share).toFixed(digits) + "%";
const show = (id, text) => { byId(id).textContent = text; };

function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e6) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

// Three counts, in the bar and in the table below it.
function showOutcomes(box, counts, total) {
  counts.forEach((n, part) => {
    box.querySelector(`[data-part="${part}"]`).style.width = percent(n / total, 3);
    box.querySelector(`[data-rows="${part}"]`).textContent = n.toLocaleString("en-US");
    box.querySelector(`[data-share="${part}"]`).textContent = percent(n / total, 2);
  });
}

function moveMarker(id, share) {
  byId(id).setAttribute("d", `M${Math.round(1000 * share)} 0V1000`);
}

function ofClasses() {
  const slider = byId("gamma0"), cost = byId("cost"), box = byId("outcomes");
  const counts = (k) => [trust.right[k], trust.rows - trust.right[k] - trust.wrong[k], trust.wrong[k]];
  const price = (k, error) => (error * trust.wrong[k] + counts(k)[1]) / trust.rows;

  // The strictest of the cheapest; beyond the last step nothing is decided, at a cost of 1.
  function cheapest(error) {
    let best = { cost: 1, at: null };
    for (let k = trust.right.length - 1; k >= 0; k -= 1) {
      if (price(k, error) < best.cost - 1e-12) best = { cost: price(k, error), at: k };
    }
    return best;
  }

  function update() {
    const k = slider.value - trust.first, error = Number(cost.value), least = cheapest(error);
    const gamma0 = slider.value / trust.steps;
    show("gamma0-value", gamma0.toFixed(3));
    slider.setAttribute("aria-valuetext", gamma0.toFixed(3));
    showOutcomes(box, counts(k), trust.rows);
    moveMarker("gamma0-marker", k / Math.max(trust.right.length - 1, 1));
    show("cost-value", String(error));
    show("cost-here", price(k, error).toFixed(4));
    show("cost-least", least.cost.toFixed(4));
    show("cost-gamma0", least.at === null ? "none: decide nothing" : ((least.at + trust.first) / trust.steps).toFixed(3));
    byId("cost-go").disabled = least.at === null;
    document.dispatchEvent(new CustomEvent("gamma0", { detail: gamma0 }));
  }

  byId("cost-go").addEventListener("click", () => {
    slider.value = cheapest(Number(cost.value)).at + trust.first;
    update();
  });
  slider.addEventListener("input", update);
  cost.addEventListener("input", update);
  update();
}

function ofNumbers() {
  const level = byId("level"), width = byId("width"), box = byId("width-outcomes");

  function updateLevel() {
    const k = Number(level.value), promised = percent(trust.levels[k], 0);
    const first = trust.levels[0];
    show("level-value", promised);
    level.setAttribute("aria-valuetext", promised);
    show("level-held", percent(trust.held[k], 2));
    show("level-mean-width", number(trust.meanWidth[k]));
    show("level-below", percent(trust.below[k], 2));
    show("level-above", percent(trust.above[k], 2));
    moveMarker("level-marker", (trust.levels[k] - first) / (1 - first));
  }

  function updateWidth() {
    const k = Number(width.value), held = trust.nHeld[k], missed = trust.nMissed[k];
    show("width-value", number(trust.widths[k]));
    width.setAttribute("aria-valuetext", number(trust.widths[k]));
    showOutcomes(box, [held, trust.rows - held - missed, missed], trust.rows);
    show("width-error", number(trust.meanError[k]));
  }

  level.addEventListener("input", updateLevel);
  width.addEventListener("input", updateWidth);
  updateLevel();
  updateWidth();
}

if (trust && trust.kind === "classes") ofClasses();
if (trust && trust.kind === "numbers") ofNumbers();
