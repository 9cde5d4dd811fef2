package dev.colony.node.runtime;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.fixture.ClusterNode;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.node.AgentListener;
import dev.colony.testkit.InstantModel;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@link ClusterNode} whose agents read large documents, and keep what they have read. */
final class ArchiveNode {

  private static final String STORE = "test.store";
  private static final String ENDPOINT = "test.endpoint";

  /** The length of a document, in characters. */
  static final int LENGTH = 1_000_000;

  static final AgentBlueprint READER =
      AgentBlueprint.of(Blueprint.of(Reader.TYPE), Blueprint.of(Archive.TYPE));

  private ArchiveNode() {}

  /** The options of a JVM whose node has its large data in a store. */
  static List<String> options(PayloadSettings store) {
    return List.of(
        "-Xmx1g", "-D" + STORE + "=" + store.store(), "-D" + ENDPOINT + "=" + store.endpoint());
  }

  static String settings(String store, String endpoint) {
    return """
    colony.payloads { store = "%s", endpoint = "%s" }
    colony.agent { max-output = 2 MiB, journal.max-event-bytes = 8 MiB }
    """
        .formatted(store, endpoint);
  }

  public static void main(String[] args) {
    ClusterNode.start(
        args,
        settings(System.getProperty(STORE), System.getProperty(ENDPOINT)),
        node -> node,
        new InstantModel(),
        types -> {
          types.add(Reader.class);
          types.add(Archive.class);
        },
        AgentListener.NONE,
        Map.of());
  }

  static String document(String name) {
    return (name + " ").repeat(LENGTH / (name.length() + 1));
  }

  /**
   * Reads as many documents as its input says, and completes with the last one, so that it is in
   * the journal too.
   */
  @Registered(Reader.TYPE)
  static final class Reader extends BaseActionPolicy {

    static final String TYPE = "archive.reader";

    Reader(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int step = state.iterationNum();
      String run = state.request().runId().value();
      if (step == state.request().input().path("documents").asInt()) {
        return Decision.Complete.with(
            JsonNodeFactory.instance.textNode(document(run + "-" + (step - 1))));
      }
      agent().inference().infer("step", new ModelCall("", List.of(), "?", Optional.empty(), 4));
      return new Decision.Act(
          Action.of("a" + step, Archive.TYPE + ".read", JsonNodeFactory.instance.objectNode()));
    }
  }

  @Registered(Archive.TYPE)
  static final class Archive extends AgentCapability {

    static final String TYPE = "archive";

    Archive(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    String read(ActionContext context) {
      return document(context.request().runId().value() + "-" + context.actionId().substring(1));
    }
  }
}
