package dev.colony.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import dev.colony.client.wire.WireJson;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Where the parts of running answers are to be heard: those of a run on a topic of its agent's, and
 * those of all runs that one request set off on one of the colony's, by its trace.
 */
public record ReplyTopics(Topics topics) {

  private record Topic(Scope scope, String name) {

    static Topic of(AgentId agent, RunId run) {
      return new Topic(agent.scope(), "replies/" + run.value());
    }

    static Topic of(AgentId agent, String trace) {
      return new Topic(Scope.colony(agent.tenant(), agent.colony()), "replies/" + trace);
    }
  }

  private static Stream<Topic> of(AgentId agent, RunId run, String trace) {
    return trace.equals(run.value())
        ? Stream.of(Topic.of(agent, run))
        : Stream.of(Topic.of(agent, run), Topic.of(agent, trace));
  }

  /** Whether there is a subscriber; costs no call. */
  public boolean heard(AgentId agent, RunId run, String trace) {
    return of(agent, run, trace).anyMatch(topic -> topics.heard(topic.scope, topic.name));
  }

  /** Sends it to where it is heard. */
  public void publish(ReplyPart part, String trace) {
    of(part.agent(), part.runId(), trace)
        .filter(topic -> topics.heard(topic.scope, topic.name))
        .forEach(topic -> topics.publish(topic.scope, topic.name, WireJson.write(part)));
  }

  /** Hears the parts of a run, and of those with its id as their trace. */
  Topics.Listening listen(AgentId agent, RunId run, Consumer<ReplyPart> listener) {
    List<Topics.Listening> both =
        Stream.of(Topic.of(agent, run), Topic.of(agent, run.value()))
            .map(topic ->
                topics.listen(
                    topic.scope,
                    topic.name,
                    json -> listener.accept(WireJson.read(json, ReplyPart.class))))
            .toList();
    return () -> both.forEach(Topics.Listening::close);
  }
}
