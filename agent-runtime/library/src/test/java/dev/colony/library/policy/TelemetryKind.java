package dev.colony.library.policy;

import dev.colony.agent.stream.StreamKind;

/** A further kind of entries, installed for the tests. */
public final class TelemetryKind implements StreamKind {

  @Override
  public String name() {
    return "telemetry";
  }

  @Override
  public String summary() {
    return "a measurement: its name and value";
  }
}
