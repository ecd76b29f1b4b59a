// SPDX-License-Identifier: Apache-2.0

// What an oscillation sounds like. Slow ones are played faster, so that they can be heard.

import { valueAt } from './charts';

const audible = 330; // [Hz]

// The frequency of what repeats in the second half of a run [Hz]; 0 where hardly anything does.
export function pitchOf(t: Float64Array, y: Float64Array): number {
  const from = Math.floor(t.length / 2);
  let low = Infinity;
  let high = -Infinity;
  for (let i = from; i < y.length; ++i) [low, high] = [Math.min(low, y[i]), Math.max(high, y[i])];
  const middle = (low + high) / 2;
  const band = 0.2 * (high - low);
  let side = 0;
  let crossings = 0;
  for (let i = from; i < y.length; ++i) {
    const now = y[i] > middle + band ? 1 : y[i] < middle - band ? -1 : 0;
    if (now && now !== side) {
      if (side) ++crossings;
      side = now;
    }
  }
  return crossings >= 5 ? crossings / 2 / (t[t.length - 1] - t[from]) : 0;
}

// Plays the second half, again and again for two seconds.
export function listen(t: Float64Array, y: Float64Array) {
  const pitch = pitchOf(t, y);
  if (!pitch) return;
  const context = new AudioContext();
  const pace = audible / pitch;
  const [begin, end] = [t[Math.floor(t.length / 2)], t[t.length - 1]];
  const count = Math.max(64, Math.round(((end - begin) / pace) * context.sampleRate));
  const buffer = context.createBuffer(1, count, context.sampleRate);
  const to = buffer.getChannelData(0);
  let mean = 0;
  let size = 0;
  for (let i = 0; i < count; ++i) to[i] = valueAt(t, y, begin + ((end - begin) * i) / count);
  for (const each of to) mean += each / count;
  for (const each of to) size = Math.max(size, Math.abs(each - mean));
  to.forEach((each, i) => (to[i] = (0.25 * (each - mean)) / (size || 1)));
  const source = context.createBufferSource();
  source.buffer = buffer;
  source.loop = true;
  const volume = context.createGain();
  volume.gain.setValueAtTime(0, 0);
  volume.gain.linearRampToValueAtTime(1, context.currentTime + 0.05);
  volume.gain.setValueAtTime(1, context.currentTime + 1.8);
  volume.gain.linearRampToValueAtTime(0, context.currentTime + 2);
  source.connect(volume).connect(context.destination);
  source.onended = () => void context.close();
  source.start();
  source.stop(context.currentTime + 2);
}
