package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.PageResidency.ResidentPage;
import dev.colony.replica.ResidentPages.Residency;
import dev.colony.replica.http.Exchange;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * {@code GET /colony/residency?after=VERSION&incarnation=ID}: the pages in the cache, held back
 * until their version differs from {@code after}. Without parameters, or with those of an earlier
 * life of the replica, the answer comes at once.
 */
final class ResidencyEndpoint {

  private final String replica;
  private final String incarnation = UUID.randomUUID().toString();
  private final ResidentPages resident;
  private final Semaphore followers;
  private final Duration hold;
  private final Duration coalesce;

  ResidencyEndpoint(String replica, ResidentPages resident, EmbeddedReplicaSettings settings) {
    this.replica = replica;
    this.resident = resident;
    this.followers = new Semaphore(settings.maxFollowers());
    this.hold = settings.pollHold();
    this.coalesce = settings.coalesce();
  }

  void handle(Exchange exchange) throws ApiError, IOException, InterruptedException {
    if (!followers.tryAcquire()) {
      exchange.header("Retry-After", "1");
      throw ApiError.overloaded("too many followers of the residency feed");
    }
    try {
      Exchanges.json(exchange, 200, json(await(exchange)));
    } finally {
      followers.release();
    }
  }

  private Residency await(Exchange exchange) throws ApiError, InterruptedException {
    long after = after(exchange.query("after"));
    boolean sameLife = exchange.query("incarnation").orElse(incarnation).equals(incarnation);
    if (after < 0 || !sameLife) {
      return resident.otherThan(-1, Duration.ZERO);
    }
    Residency residency = resident.otherThan(after, hold);
    if (residency.version() == after) {
      return residency;
    }
    ResidentPages.coalesce(coalesce);
    return resident.otherThan(-1, Duration.ZERO);
  }

  private static long after(Optional<String> value) throws ApiError {
    try {
      return Long.parseLong(value.orElse("-1"));
    } catch (NumberFormatException e) {
      throw ApiError.invalid("after", "after must be a version number");
    }
  }

  private ObjectNode json(Residency residency) {
    ObjectNode root =
        Exchanges.JSON
            .createObjectNode()
            .put("replica", replica)
            .put("incarnation", incarnation)
            .put("version", residency.version());
    ArrayNode pages = root.putArray("pages");
    for (ResidentPage page : residency.pages()) {
      pages.addObject().put("id", page.id()).put("tokens", page.tokens());
    }
    return root;
  }
}
