package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;
import dev.colony.bench.load.LatencyFigures;

/**
 * What clients reach that each have one write under way.
 *
 * @param eventsPerSecond until the last event has arrived
 * @param write from the call to its acknowledgement
 * @param event from the call to the subscriber
 * @param clientMicros processor time of this process for a write and its event, both ends
 * @param serverMicros the same of the Redis server
 * @param fellBehind how often a subscriber did not keep up
 */
record FullLoad(
    double writesPerSecond,
    double eventsPerSecond,
    LatencyFigures write,
    LatencyFigures event,
    double clientMicros,
    double serverMicros,
    long fellBehind,
    WriteTally tally) {

  ObjectNode addTo(ObjectNode json) {
    json.put("writesPerSecond", Math.round(writesPerSecond))
        .put("eventsPerSecond", Math.round(eventsPerSecond))
        .put("clientCpuMicros", Figures.rounded(clientMicros))
        .put("serverCpuMicros", Figures.rounded(serverMicros))
        .put("fellBehind", fellBehind);
    write.addTo(json, "write");
    event.addTo(json, "event");
    return json;
  }
}
