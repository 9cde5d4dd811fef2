package dev.colony.server.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.mcp.ProtocolJson;
import dev.colony.server.mcp.ColonyResources.ResourceUri;
import dev.colony.server.mcp.McpServer.McpAnswer;
import dev.colony.server.mcp.McpServer.McpCaller;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.time.Duration;
import java.util.Map;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;

/**
 * What a client of the revision 2026-07-28 listens to: changes of entries of the blackboard that it
 * names. Pages do not change, and changes of lists are not told. Its methods block.
 */
record Subscriptions(Blackboards blackboards) {

  private static final String ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

  /** Entries of one stream: the first that it names. */
  private static final int WATCHED = 16;

  /** After which a client has to listen anew; before the end that HTTP sets to any stream. */
  private static final Duration LONGEST = Duration.ofMinutes(25);

  /** The first message tells which entries are listened to. */
  McpAnswer listen(McpCaller caller, JSONRPCRequest request) {
    Map<String, Object> meta = Map.of(StatelessRevision.SUBSCRIPTION, request.id());
    ObjectNode told = ProtocolJson.object();
    Source<JSONRPCMessage, NotUsed> changes =
        Source.<JSONRPCMessage>maybe().mapMaterializedValue(never -> NotUsed.getInstance());
    JsonNode uris = ProtocolJson.tree(request.params()).at("/notifications/resourceSubscriptions");
    for (JsonNode uri : uris) {
      if (told.path("resourceSubscriptions").size() < WATCHED
          && ResourceUri.parse(caller, uri.asText()).orElse(null)
              instanceof ResourceUri.EntryAt at) {
        told.withArray("/resourceSubscriptions").add(uri);
        JSONRPCMessage changed =
            new JSONRPCNotification(
                McpSchema.METHOD_NOTIFICATION_RESOURCES_UPDATED,
                Map.of("_meta", meta, "uri", uri.asText()));
        changes = changes.merge(changes(caller, at).map(event -> changed));
      }
    }
    JSONRPCMessage first =
        new JSONRPCNotification(ACKNOWLEDGED, Map.of("_meta", meta, "notifications", told));
    return new McpAnswer.Messages(
        Source.single(first)
            .concat(changes)
            .takeWithin(LONGEST)
            .concat(Source.single(JSONRPCResponse.result(request.id(), Map.of("_meta", meta)))),
        request.id(),
        () -> {});
  }

  /** From a place that is known before the client is told that it listens. */
  private Source<BlackboardEvent, NotUsed> changes(McpCaller caller, ResourceUri.EntryAt at) {
    Blackboard board = blackboards.open(at.scope(), caller.principal().writer());
    Position now = board.statistics().toCompletableFuture().join().head();
    return Source.fromPublisher(
        FlowAdapters.toPublisher(board.subscribe(at.key(), SubscribeFrom.after(now))));
  }
}
