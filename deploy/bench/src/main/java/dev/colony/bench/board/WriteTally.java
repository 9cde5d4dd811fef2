package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What became of acknowledged writes.
 *
 * @param written how many there were
 * @param versions the sum of the entries' versions, one for each write if none was lost
 * @param eventsLost events that did not arrive
 * @param eventsDoubled events that arrived again
 */
record WriteTally(long written, long entries, long versions, long eventsLost, long eventsDoubled) {

  WriteTally plus(WriteTally other) {
    return new WriteTally(
        written + other.written,
        entries + other.entries,
        versions + other.versions,
        eventsLost + other.eventsLost,
        eventsDoubled + other.eventsDoubled);
  }

  boolean whole() {
    return versions == written && eventsLost == 0 && eventsDoubled == 0;
  }

  long received() {
    return written - eventsLost + eventsDoubled;
  }

  void addTo(ObjectNode json) {
    json.put("written", written)
        .put("received", received())
        .put("entries", entries)
        .put("versions", versions)
        .put("eventsLost", eventsLost)
        .put("eventsDoubled", eventsDoubled);
  }
}
