// The page's elements. No text of a run ever goes in as HTML: only by textContent.
export const html = `
<canvas id="stage" tabindex="0" role="application" aria-label="The run in three dimensions. Arrow keys turn, plus and minus zoom, N picks the next body, space plays."></canvas>
<header id="title"><h1></h1><p id="about"></p></header>
<div id="legend" role="img" hidden><div class="label"></div><div class="bar"></div><div class="ticks"><span></span><span></span><span></span></div><ul></ul><p class="links" hidden></p></div>
<div id="live-mark" hidden><span class="dot"></span><span class="word">live</span></div>
<nav id="tools" aria-label="Panels">
  <button id="open-panel" aria-controls="panel" aria-expanded="false" title="Settings (S)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h10M18 7h2M4 12h3M11 12h9M4 17h8M16 17h4"/><circle cx="16" cy="7" r="2"/><circle cx="9" cy="12" r="2"/><circle cx="14" cy="17" r="2"/></svg><span>Settings</span></button>
  <button id="open-plots" aria-controls="plots" aria-expanded="false" title="Plots (P)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 4v16h16M7 15l4-5 3 3 5-7"/></svg><span>Plots</span></button>
  <button id="pull" aria-pressed="false" title="Pull bodies with the mouse (G, or hold Shift)" hidden><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M8 13V6a1.5 1.5 0 0 1 3 0v5-7a1.5 1.5 0 0 1 3 0v7-5a1.5 1.5 0 0 1 3 0v8c0 4-2 6-5 6-4 0-5-2-7-6l-1-2a1.5 1.5 0 0 1 2.5-1.5z"/></svg><span>Pull</span></button>
  <button id="home" title="Show everything (H)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/></svg><span>Fit</span></button>
  <button id="theme" title="Dark or light (T)"><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/></svg><span>Theme</span></button>
</nav>
<aside id="panel" aria-label="Settings" hidden>
  <button class="close" aria-label="Close settings">×</button>
  <section id="body-section" aria-labelledby="h-body"><h2 id="h-body">Body</h2>
    <form id="find"><label for="find-name">Find</label><input id="find-name" type="search" placeholder="name or number" autocomplete="off"><button>Pick</button></form>
    <p id="no-body" class="soft">Click a body, or press N.</p>
    <dl id="body" hidden></dl>
    <div class="row" id="body-row" hidden><button id="follow" aria-pressed="false">Follow (F)</button><button id="unpick">Let go</button></div>
  </section>
  <section id="live-section" aria-labelledby="h-live" hidden><h2 id="h-live">Live run</h2>
    <p id="live-state" class="soft"></p>
    <div class="row"><button id="pause">Pause</button><button id="single">One step</button><button id="restart">Restart</button></div>
    <label class="line"><span>Pace</span><select id="pace"><option value="0">as fast as it goes</option><option value="0.1">0.1 × real time</option><option value="0.25">0.25 ×</option><option value="0.5">0.5 ×</option><option value="1">real time</option><option value="2">2 ×</option></select></label>
    <fieldset id="gravity"><legend>Gravity, m/s²</legend><input type="number" step="any" aria-label="Gravity x"><input type="number" step="any" aria-label="Gravity y"><input type="number" step="any" aria-label="Gravity z"><button id="set-gravity">Set</button></fieldset>
    <div id="materials"></div>
    <div id="motors"></div>
  </section>
  <section aria-labelledby="h-colour"><h2 id="h-colour">Colour</h2>
    <label class="line"><span>By</span><select id="field"></select></label>
    <label class="line"><span>From</span><input id="least" type="number" step="any"></label>
    <label class="line"><span>To</span><input id="most" type="number" step="any"></label>
    <div class="row"><button id="auto-range">Range of the run</button></div>
  </section>
  <section aria-labelledby="h-show"><h2 id="h-show">Show</h2>
    <label class="line"><span>Contacts</span><select id="links"><option value="none">none</option><option value="chains">force chains</option><option value="forces">forces at contacts</option></select></label>
    <label class="line"><span>Bodies</span><select id="bodies"><option value="full">full</option><option value="small">small</option><option value="hidden">hidden</option></select></label>
    <label class="line"><span>Walls</span><select id="walls"><option value="solid">solid</option><option value="glass">glass</option><option value="hidden">hidden</option></select></label>
    <label class="check"><input id="shadows" type="checkbox" checked> Shadows</label>
    <label class="check"><input id="pattern" type="checkbox" checked> Pattern on balls, to see them turn</label>
    <label class="check"><input id="joints" type="checkbox" checked> Joints, ropes and springs</label>
    <label class="check"><input id="smooth" type="checkbox" checked> Move between frames</label>
  </section>
  <section aria-labelledby="h-cut"><h2 id="h-cut">Cut</h2>
    <label class="line"><span>Plane</span><select id="cut"><option value="none">none</option><option value="x">x</option><option value="y">y</option><option value="z">z</option></select></label>
    <label class="line"><span>At</span><input id="cut-at" type="range" min="0" max="1000" value="500"></label>
    <label class="check"><input id="cut-flip" type="checkbox"> Other side</label>
  </section>
  <section aria-labelledby="h-view"><h2 id="h-view">View from</h2>
    <div class="row"><button data-look="corner">Corner</button><button data-look="front">Front</button><button data-look="side">Side</button><button data-look="top">Top</button></div>
  </section>
  <section aria-labelledby="h-run"><h2 id="h-run">Run</h2><dl id="run"></dl>
    <details id="keys"><summary>Keys</summary><dl class="keys"><dt>Space</dt><dd>play or stop</dd><dt>, .</dt><dd>frame back, forward</dd><dt>Home End</dt><dd>first, last frame</dd><dt>[ ]</dt><dd>slower, faster</dd><dt>arrows + −</dt><dd>turn and zoom (on the picture)</dd><dt>N B</dt><dd>next, previous body</dd><dt>F</dt><dd>follow the body</dd><dt>C</dt><dd>contacts</dd><dt>X</dt><dd>cut</dd><dt>S P T H</dt><dd>settings, plots, theme, all in sight</dd><dt>G</dt><dd>pull bodies (live)</dd><dt>Esc</dt><dd>let go of the body</dd><dt>?</dt><dd>these keys</dd></dl></details>
  </section>
</aside>
<section id="plots" aria-label="Plots" hidden></section>
<footer id="time" aria-label="Time">
  <button id="play" aria-label="Play" title="Play or stop (space)"><svg viewBox="0 0 24 24" aria-hidden="true"><path class="go" d="M7 4l13 8-13 8z"/><path class="halt" d="M6 4h4v16H6zM14 4h4v16h-4z"/></svg></button>
  <button id="back" aria-label="Frame back" title="Frame back (,)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M18 5l-9 7 9 7zM6 5h2v14H6z"/></svg></button>
  <button id="forward" aria-label="Frame forward" title="Frame forward (.)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 5l9 7-9 7zM16 5h2v14h-2z"/></svg></button>
  <input id="scrub" type="range" min="0" max="1000" value="0" step="1" aria-label="Time of the run">
  <output id="clock" for="scrub">0 s</output>
  <label class="speed"><span class="hidden">Speed</span><select id="speed" title="Speed ([ and ])"></select></label>
</footer>
<div id="wait" role="status"><p>Reading the run …</p><progress max="1"></progress></div>
<div id="say" class="hidden" aria-live="polite"></div>
<div id="note" role="status" hidden></div>
`;
