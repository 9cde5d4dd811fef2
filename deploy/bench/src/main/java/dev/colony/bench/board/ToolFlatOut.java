package dev.colony.bench.board;

import dev.colony.bench.RedisBenchmarkTool;
import dev.colony.blackboard.redis.CommitScript;
import java.util.ArrayList;
import java.util.List;

/** The script through redis-benchmark, to one key. */
final class ToolFlatOut implements CeilingDriver {

  private static final int CONNECTIONS = 50;

  private final RedisBenchmarkTool tool;
  private final List<String> command;
  private final int pipeline;

  /**
   * @param pipeline how many writes each of its 50 connections has under way
   */
  ToolFlatOut(RedisBenchmarkTool tool, String digest, CommitScript script, int pipeline) {
    this.tool = tool;
    this.pipeline = pipeline;
    this.command = new ArrayList<>(List.of("EVALSHA", digest, "2"));
    command.addAll(script.keys());
    command.addAll(script.arguments());
  }

  @Override
  public String name() {
    return "redis-benchmark -c %d -P %d".formatted(CONNECTIONS, pipeline);
  }

  @Override
  public double run(int first, int end) {
    return tool.rate(end - first, CONNECTIONS, pipeline, command).stream()
        .map(rate -> (end - first) / rate)
        .findFirst()
        .orElse(0.0);
  }

  @Override
  public void close() {}
}
