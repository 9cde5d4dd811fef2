package dev.colony.bench;

import dev.colony.journal.AppendCeiling;

/**
 * The most appends that this Redis takes of the journal's script: driven flat out by our client
 * and, where there is one, by redis-benchmark; the higher of the two.
 *
 * @param by who drove it
 */
public record Ceiling(double appendsPerSecond, String by) {

  private static final int LEAST_APPENDS = 20_000;
  private static final int TOOL_CLIENTS = 50;

  static Ceiling measure(String redisUri, int port, StepsLoad load, int recordBytes) {
    int appends = Math.max(LEAST_APPENDS, load.agents() * load.steps());
    AppendCeiling script = new AppendCeiling(redisUri, load.agents(), recordBytes, appends);
    AppendCeiling.Rate own = script.best();
    Ceiling ours =
        new Ceiling(
            own.appendsPerSecond(),
            "our client flat out, %d connections, %d under way"
                .formatted(own.connections(), own.depth()));
    return RedisBenchmarkTool.find(port)
        .flatMap(tool -> tool.rate(appends, TOOL_CLIENTS, 1, script.toolInput().command()))
        .filter(rate -> rate > ours.appendsPerSecond())
        .map(rate -> new Ceiling(rate, "redis-benchmark, " + TOOL_CLIENTS + " clients"))
        .orElse(ours);
  }
}
