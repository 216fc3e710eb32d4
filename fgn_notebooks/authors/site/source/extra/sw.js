importScripts("keep.js");
