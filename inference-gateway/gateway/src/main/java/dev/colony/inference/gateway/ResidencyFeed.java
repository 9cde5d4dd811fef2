package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.provider.ResidencyPoll;
import dev.colony.inference.routing.Replica;
import dev.colony.inference.routing.ResidencyEstimate;
import dev.colony.inference.routing.ResidencyReport;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what one replica holds and tells a listener: the replica's whole list at once, and again
 * after every change. A replica that publishes its residency is followed by long polls; for any
 * other server the list is estimated from the calls that this feed observes. A replica that cannot
 * be reached for a while is reported as holding nothing, until it answers again.
 *
 * <p>The listener is called from one thread at a time; if it throws, that is logged and the feed
 * goes on.
 */
public final class ResidencyFeed implements CallObserver, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ResidencyFeed.class);

  private final Replica replica;
  private final FeedSettings settings;
  private final ResidencyListener listener;
  private final ExecutorService threads;
  private final HttpClient http;
  private final ResidencyPoll poll;

  // Guarded by this.
  private final ResidencyEstimate estimate;
  private final String estimateIncarnation = "estimate-" + UUID.randomUUID();
  private long estimateVersion;
  private boolean estimating;

  private ResidencyFeed(
      Replica replica,
      FeedSettings settings,
      ProviderSettings clientSettings,
      ResidencyListener listener) {
    this.replica = replica;
    this.settings = settings;
    this.listener = listener;
    this.threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("residency-feed-", 0).factory());
    this.http = ModelServer.httpClient(clientSettings, threads);
    this.poll = new ResidencyPoll(replica.id(), replica.baseUri(), clientSettings, http);
    this.estimate = new ResidencyEstimate(settings.estimatedCapacityTokens());
  }

  /** Begins to follow a replica, whether it is up yet or not. */
  public static ResidencyFeed follow(
      Replica replica,
      FeedSettings settings,
      ProviderSettings clientSettings,
      ResidencyListener listener) {
    ResidencyFeed feed = new ResidencyFeed(replica, settings, clientSettings, listener);
    feed.threads.submit(feed::run);
    return feed;
  }

  /** Calls to other replicas are passed over. */
  @Override
  public void answered(
      Replica at, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {
    if (!at.id().equals(replica.id())) {
      return;
    }
    synchronized (this) {
      if (estimate.answered(request.prompt().pages(), usage, cachedTokens) && estimating) {
        publishEstimate();
      }
    }
  }

  /** Stops following. The listener hears nothing more. */
  @Override
  public void close() {
    threads.shutdownNow();
    http.shutdownNow();
  }

  private void run() {
    Optional<ResidencyReport> known = Optional.empty();
    long answeredAt = System.nanoTime();
    boolean lost = true;
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          known = estimating() ? recheck() : follow(known);
          answeredAt = System.nanoTime();
          lost = false;
        } catch (InferenceException e) {
          LOG.debug("replica {}: {}", replica.id(), e.getMessage());
          boolean longAgo = System.nanoTime() - answeredAt >= settings.lostAfter().toNanos();
          if (longAgo && !lost) {
            lost = true;
            known = Optional.empty();
            LOG.warn("replica {} is lost: {}", replica.id(), e.getMessage());
            lose();
          }
          TimeUnit.NANOSECONDS.sleep(settings.retryDelay().toNanos());
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("stopped following replica {}", replica.id());
    }
  }

  private Optional<ResidencyReport> follow(Optional<ResidencyReport> known)
      throws InterruptedException {
    Optional<ResidencyReport> next = poll.next(known, settings.pollTimeout());
    if (next.isEmpty()) {
      LOG.info("replica {} publishes no residency: it is estimated", replica.id());
      synchronized (this) {
        estimating = true;
        publishEstimate();
      }
    } else if (!next.equals(known)) {
      tell(next.get());
    }
    return next;
  }

  private Optional<ResidencyReport> recheck() throws InterruptedException {
    Duration wait = settings.estimatedRecheck();
    TimeUnit.NANOSECONDS.sleep(wait.toNanos());
    poll.checkAlive(wait);
    return Optional.empty();
  }

  private synchronized boolean estimating() {
    return estimating;
  }

  /** What comes back may be another server, so it is asked anew what it can do. */
  private synchronized void lose() {
    estimating = false;
    estimate.clear();
    tell(new ResidencyReport(replica.id(), "", 0, false, List.of()));
  }

  private void publishEstimate() {
    tell(
        new ResidencyReport(
            replica.id(), estimateIncarnation, ++estimateVersion, true, estimate.pages()));
  }

  private synchronized void tell(ResidencyReport report) {
    try {
      listener.resident(report);
    } catch (RuntimeException e) {
      LOG.error("the listener of replica {} failed", replica.id(), e);
    }
  }
}
