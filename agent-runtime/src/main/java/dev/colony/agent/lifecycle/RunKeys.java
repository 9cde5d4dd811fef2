package dev.colony.agent.lifecycle;

import dev.colony.agent.RunId;

/** The keys of a run in its agent's scope. */
public final class RunKeys {

  private RunKeys() {}

  public static String request(RunId run) {
    return "request:run:" + run;
  }

  public static String result(RunId run) {
    return "result:run:" + run;
  }

  public static String event(RunId run, String name) {
    return "event:run:" + run + ":" + name;
  }
}
