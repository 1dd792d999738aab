// Fits the dots of the graph into its picture and writes the names that find room there.
//
// The chart itself compares names with names only: it writes them over dots, and lets dots and
// names leave a narrow screen.
window.fitGraph = (() => {
  const FONT = "12px sans-serif", LINE = 16, GAP = 6, EDGE = 4;
  const WIDTHS = [210, 170, 120, 80]; // Of a name, in pixels; a longer one is cut with an ellipsis.
  const STEPS = Array.from({length: 60}, (_, step) => (step + 0.5) / 60); // Along a line.
  const ROOM = 5000; // Square pixels of the picture that a dot needs; with less, dots are smaller.

  const layouts = (chart) => {
    const data = chart.getModel()?.getSeriesByIndex(0)?.getData();
    return data?.count() && data.getItemLayout(0)
      ? data.mapArray((index) => Array.from(data.getItemLayout(index))) : null;
  };

  const apart = (points, radii, wide, high) => {
    // Dots that lie over each other are moved away from each other, within the picture.
    const inside = (value, most) => Math.min(Math.max(value, 0), most);
    for (let round = 0; round < 80; round++) {
      let moved = false;
      for (let one = 0; one < points.length; one++) for (let two = one + 1; two < points.length; two++) {
        const a = points[one], b = points[two], least = radii[one] + radii[two] + GAP;
        // Dots in the same place part in a direction that differs from pair to pair.
        const dx = b[0] - a[0] || Math.cos(one + two), dy = b[1] - a[1] || Math.sin(one + two);
        const far = Math.hypot(dx, dy);
        if (far >= least) continue;
        const push = (least - far) / 2 / far;
        a[0] = inside(a[0] - dx * push, wide); a[1] = inside(a[1] - dy * push, high);
        b[0] = inside(b[0] + dx * push, wide); b[1] = inside(b[1] + dy * push, high);
        moved = true;
      }
      if (!moved) break;
    }
    return points;
  };

  const spread = (chart, first, sizes) => {
    // The picture's own shape decides how far the layout is stretched, up to twice its size.
    const dots = chart.getOption().series[0].data;
    const each = chart.getWidth() * chart.getHeight() / dots.length;
    const scale = Math.min(1, Math.max(0.5, Math.sqrt(each / ROOM)));
    dots.forEach((dot, index) => { dot.symbolSize = Math.round(sizes[index] * scale); });
    const radii = dots.map((dot) => dot.symbolSize / 2), margin = Math.max(...radii) + EDGE;
    const ends = [0, 1].map((axis) => first.map((point) => point[axis]));
    const [size, low] = [[0, 1].map((axis) => Math.max(...ends[axis]) - Math.min(...ends[axis])),
      [0, 1].map((axis) => Math.min(...ends[axis]))];
    const room = [chart.getWidth() - 2 * margin, chart.getHeight() - 2 * margin];
    const used = [0, 1].map((axis) => Math.min(room[axis], Math.max(2 * size[axis], 1)));
    const points = first.map((point) =>
      [0, 1].map((axis) => size[axis] ? (point[axis] - low[axis]) / size[axis] * used[axis] : 0));
    apart(points, radii, ...room);
    // The chart scales the dots' own bounds into its box: a box of the same size leaves them as is.
    const least = [0, 1].map((axis) => Math.min(...points.map((point) => point[axis])));
    const most = [0, 1].map((axis) => Math.max(...points.map((point) => point[axis])));
    const before = [0, 1].map((axis) => margin + (room[axis] - most[axis] + least[axis]) / 2);
    points.forEach((point, index) => { [dots[index].x, dots[index].y] = point; });
    chart.setOption({series: [{
      layout: "none", data: dots, center: null, zoom: 1,
      left: before[0], right: before[0], top: before[1], bottom: before[1],
    }]});
  };

  const write = (chart, note) => {
    const option = chart.getOption().series[0], dots = option.data;
    const data = chart.getModel().getSeriesByIndex(0).getData();
    const color = getComputedStyle(document.body).getPropertyValue("--quiet").trim();
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = FONT;
    const around = dots.map((dot, index) => {
      const [x, y] = chart.convertToPixel({seriesIndex: 0}, data.getItemLayout(index));
      return {x, y, radius: dot.symbolSize / 2};
    });
    const taken = around.map(({x, y, radius}) => [x - radius, y - radius, x + radius, y + radius]);
    const free = ([left, top, right, bottom], own) =>
      left >= EDGE && top >= EDGE && right <= chart.getWidth() - EDGE && bottom <= chart.getHeight() - EDGE
      && taken.every((box, index) => index === own
        || box[2] <= left || box[0] >= right || box[3] <= top || box[1] >= bottom);
    const crossed = ([left, top, right, bottom]) => option.links.filter(({source, target}) => {
      const a = around[source], b = around[target];
      return STEPS.some((far) => {
        const x = a.x + (b.x - a.x) * far, y = a.y + (b.y - a.y) * far;
        return x > left && x < right && y > top && y < bottom;
      });
    }).length;
    const order = dots.map((_, index) => index).sort((a, b) => dots[b].value - dots[a].value || a - b);
    const places = dots.map(() => null);
    for (const index of order) {
      const {x, y, radius} = around[index], length = pen.measureText(dots[index].written).width;
      const widths = WIDTHS.filter((one, at) => !at || length > one);
      for (const most of widths) {
        const wide = Math.min(most, length) + 2, off = radius + GAP;
        const boxes = {
          right: [x + off - 2, y - LINE / 2, x + off + wide, y + LINE / 2],
          left: [x - off - wide, y - LINE / 2, x - off + 2, y + LINE / 2],
          top: [x - wide / 2, y - off - LINE, x + wide / 2, y - off],
          bottom: [x - wide / 2, y + off, x + wide / 2, y + off + LINE],
        };
        const open = Object.entries(boxes).filter(([_, box]) => free(box, index));
        if (!open.length) continue;
        const [position, box] = open.reduce((best, one) => crossed(one[1]) < crossed(best[1]) ? one : best);
        places[index] = {position, width: most};
        taken.push(box);
        break;
      }
    }
    dots.forEach((dot, index) => {
      const place = places[index];
      // A function, since braces in a name would be taken for a template's.
      const formatter = () => dot.written;
      dot.label = {show: Boolean(place), color, formatter, distance: GAP, ...(place || {position: "right", width: WIDTHS[0]})};
    });
    chart.setOption({series: [{data: dots}]});
    const seen = ({x, y}) => x >= 0 && y >= 0 && x <= chart.getWidth() && y <= chart.getHeight();
    const unwritten = places.filter((place, index) => !place && seen(around[index])).length;
    note.textContent = !unwritten ? "" : unwritten === 1
      ? "1 name found no room: point at its dot or at its line below to see it."
      : `${unwritten} names found no room: point at a dot or at its line below to see it.`;
  };

  return (id, tries = 100) => {
    const element = getElement(id), chart = element?.chart, first = chart && layouts(chart);
    if (!first) { if (tries) setTimeout(() => window.fitGraph(id, tries - 1), 50); return; }
    const note = document.querySelector(".cp-unwritten");
    const sizes = chart.getOption().series[0].data.map((dot) => dot.symbolSize);
    const size = () => `${chart.getWidth()} ${chart.getHeight()}`;
    const fit = () => {
      spread(chart, first, sizes);
      write(chart, note);
      chart.getDom().dataset.fitted = size();
    };
    let waiting;
    const update = () => { // Soon after a zoom, a new size or another theme.
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (!document.body.contains(chart.getDom())) return;
        if (chart.getDom().dataset.fitted === size()) write(chart, note); else fit();
      }, 100);
    };
    fit();
    chart.on("graphroam", update);
    new ResizeObserver(update).observe(chart.getDom());
    new MutationObserver(update).observe(document.body, {attributeFilter: ["class"]});
    document.querySelectorAll(".cp-graph-list .cp-row").forEach((row, dataIndex) => {
      const point = () => chart.dispatchAction({type: "showTip", seriesIndex: 0, dataIndex});
      const leave = () => chart.dispatchAction({type: "hideTip"});
      row.addEventListener("mouseenter", point); row.addEventListener("focusin", point);
      row.addEventListener("mouseleave", leave); row.addEventListener("focusout", leave);
    });
  };
})();
