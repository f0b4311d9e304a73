// Where frames come from: inside the page, a recording behind a socket, or a live run.
//   count, timeOf(i), frame(i) (null: not here yet), want(i), live, changed(callback)
import { Run, unpack } from './stream.js';

const pause = () => new Promise((done) => setTimeout(done, 0));

export class FileSource {
  constructor() {
    this.run = new Run();
    this.frames = [];
    this.live = this.grows = false;
  }
  get count() { return this.frames.length; }
  timeOf(i) { return this.frames[i].time; }
  frame(i) { return this.frames[i] ?? null; }
  want() {}
  send() {}

  // `progress` is told the part that is read, 0 … 1.
  async open(base64, progress) {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bytes = await unpack(packed);
    const view = new DataView(bytes.buffer);
    let at = 0, rest = performance.now();
    while (at + 4 <= bytes.length) {
      const size = view.getUint32(at, true);
      const { frame } = this.run.take(bytes.subarray(at + 4, at + 4 + size));
      if (frame) this.frames.push(frame);
      at += 4 + size;
      if (performance.now() - rest > 40) {
        progress(at / bytes.length);
        await pause();
        rest = performance.now();
      }
    }
    if (!this.frames.length) throw new Error('the page holds no frame');
  }
}

// Bytes that a frame takes here, about.
const weight = (frame) => 400 + 24 * frame.count + (frame.contacts ? 32 * frame.contacts.count : 0);
const MEMORY = 384e6;
const OP = { next: 1, frame: 2, pause: 3, go: 4, step: 5, gravity: 6, motor: 7, pull: 8, release: 9,
             restart: 10, pace: 11, material: 12 };

// The reader asks, the server answers one message group a request: whoever is slow slows itself
// alone. A recording's frames are asked for by number; of a live run the newest.
export class SocketSource {
  constructor() {
    this.run = new Run();
    this.frames = [];
    this.first = 0; // live: frames before were forgotten
    this.kept = 0;
    this.order = [];
    this.asked = -1;
    this.waiting = false;
    this.listeners = [];
    this.closed = false;
    this.wanted = [];
    this.contacts = false; // of a live run: are they to be sent?
  }
  get live() { return this.run.header?.mode === 'live'; }
  get written() { return Boolean(!this.live && this.run.state?.written); } // a recording that a run still writes
  get grows() { return this.live || (this.written && !this.closed); }
  get count() { return this.live ? this.frames.length : this.run.times?.length ?? 0; }
  timeOf(i) { return this.live ? this.frames[i].time : this.run.times[i]; }
  frame(i) { return this.frames[i] ?? null; }
  changed(listener) { this.listeners.push(listener); }
  tell(kind) { for (const listener of this.listeners) listener(kind); }

  open(address) {
    return new Promise((done, fail) => {
      const socket = (this.socket = new WebSocket(address, 'scree'));
      socket.binaryType = 'arraybuffer';
      socket.onopen = () => this.ask();
      setInterval(() => this.written && this.ask(), 250);
      socket.onerror = () => fail(new Error('the run cannot be reached'));
      socket.onclose = () => {
        this.closed = true;
        fail(new Error('the run cannot be reached'));
        this.tell('closed');
      };
      socket.onmessage = ({ data }) => {
        try {
          this.take(new Uint8Array(data));
        } catch (error) {
          this.run.notes.push(String(error));
          socket.close();
        }
        if (this.run.header && this.count && (this.live || this.frames.some(Boolean))) done();
      };
    });
  }

  take(bytes) {
    const { kind, frame } = this.run.take(bytes);
    if (kind === 'H') {
      this.frames = [];
      this.order = [];
      this.kept = 0;
      this.tell('restart');
    }
    if (frame) this.keep(frame);
    if (kind === 'F' || kind === 'N') {
      this.waiting = false;
      // A page that is not seen, or has nothing new, asks less often.
      const delay = kind === 'F' ? (document.hidden ? 500 : 0) : 33;
      if (this.live) setTimeout(() => this.ask(), delay);
      else this.ask();
    }
    this.tell(kind);
  }

  keep(frame) {
    if (this.live) {
      const last = this.frames[this.frames.length - 1];
      if (last && last.time === frame.time) this.kept -= weight(this.frames.pop());
      this.frames.push(frame);
    } else {
      if (this.frames[frame.index]) return;
      this.frames[frame.index] = frame;
      this.order.push(frame.index);
    }
    this.kept += weight(frame);
    while (this.kept > MEMORY && (this.live ? this.frames.length : this.order.length) > 8) {
      const gone = this.live ? this.frames.shift() : this.frames[this.order[0]];
      if (!this.live) this.frames[this.order.shift()] = undefined;
      this.kept -= weight(gone);
    }
  }

  // Frames in the order in which they will be shown.
  want(i, ahead = 12) {
    if (this.live) return;
    this.wanted = [];
    for (let k = 0; k <= ahead && i + k < this.count; k++)
      if (!this.frames[i + k]) this.wanted.push(i + k);
    this.ask();
  }

  ask() {
    if (this.closed || this.waiting || this.socket.readyState !== WebSocket.OPEN) return;
    if (!this.run.header || this.live) this.send('next', this.contacts ? 1 : 0);
    else if (this.wanted.length) this.send('frame', this.wanted.shift());
    else if (this.written && performance.now() - (this.looked ?? 0) > (document.hidden ? 2000 : 450)) {
      this.looked = performance.now(); // is there more? One behind the last is answered by what is new
      this.send('frame', this.count);
    } else return;
    this.waiting = true;
  }

  // A command: its number, then doubles.
  send(op, ...values) {
    if (this.closed || this.socket.readyState !== WebSocket.OPEN) return;
    const message = new DataView(new ArrayBuffer(8 + 8 * values.length));
    message.setUint32(0, OP[op], true);
    message.setUint32(4, values.length, true);
    values.forEach((value, i) => message.setFloat64(8 + 8 * i, value, true));
    this.socket.send(message.buffer);
  }
}
