// What Chrome lets nobody hold: WebRTC by TCP and WebTransport, whose packets meet neither Fetch nor network conditions. Under rules of
// some tabs only, it runs in the page's own world before anything else does there.

(() => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];
})();
