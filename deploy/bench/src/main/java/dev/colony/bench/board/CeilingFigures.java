package dev.colony.bench.board;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.load.Figures;

/**
 * The most writes with events that the same Redis takes of the same script with nothing around it.
 *
 * @param by who drove it
 * @param serverMicros processor time of Redis for a write
 */
record CeilingFigures(double writesPerSecond, String by, double serverMicros) {

  void addTo(ObjectNode json) {
    json.put("writesPerSecond", Math.round(writesPerSecond))
        .put("by", by)
        .put("serverCpuMicros", Figures.rounded(serverMicros));
  }
}
