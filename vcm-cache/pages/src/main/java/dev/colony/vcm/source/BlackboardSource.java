package dev.colony.vcm.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.SourceReading.FileText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of a blackboard's scope, each as a file under its key: a string as it is, any other
 * value as JSON with one field a line. All that are read are of one moment each, not of one
 * together. Values are held up to 64 MiB; of those beyond, one call each reads them again.
 */
final class BlackboardSource implements ContextPageSource {

  private static final Logger LOG = LoggerFactory.getLogger(BlackboardSource.class);
  private static final int BATCH = 500;

  private static final ObjectWriter LINES =
      JsonMapper.builder()
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build()
          .writer(pretty());

  private final Blackboard board;
  private final String keys;
  private final SourceSettings settings;
  private final WatchSettings watching;
  private final TextReader reader;

  BlackboardSource(Blackboard board, String keys, SourceSettings settings, WatchSettings watching) {
    this.board = board;
    this.keys = keys;
    this.settings = settings;
    this.watching = watching;
    this.reader = new TextReader(settings);
  }

  private static PrettyPrinter pretty() {
    DefaultIndenter lines = new DefaultIndenter("  ", "\n");
    return new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines);
  }

  @Override
  public SourceReading read(SourceProgress progress) {
    List<SourceFile> files = new ArrayList<>();
    long held = 0;
    Query query = Query.keys(keys).limit(BATCH);
    try {
      while (true) {
        EntryPage page = Await.result(board.query(query));
        for (Entry entry : page.entries()) {
          FileText text = text(entry.value());
          long size = text instanceof FileText.Text some ? some.sizeBytes() : 0;
          boolean kept = held + size <= settings.holdBytes();
          held += kept ? size : 0;
          files.add(
              new SourceFile(
                  entry.key(), entry.position().toString(), kept ? () -> text : again(entry)));
        }
        if (files.size() > settings.maxFiles()) {
          return refused(
              "holds more than "
                  + settings.maxFiles()
                  + " entries; colony.vcm.source.max-files sets the limit");
        }
        if (page.next().isEmpty()) {
          break;
        }
        query = query.from(page.next().get());
      }
    } catch (BlackboardException failure) {
      return refused("cannot be read: " + failure.getMessage());
    }
    files.sort(Comparator.comparing(SourceFile::path));
    return files.isEmpty()
        ? refused("holds no entries whose keys match " + keys)
        : new SourceReading.Read(label(), files);
  }

  private Supplier<FileText> again(Entry entry) {
    String key = entry.key();
    return () ->
        Await.result(board.read(key))
            .map(now -> text(now.value()))
            .orElse(new FileText.Left(FileText.Why.UNREADABLE));
  }

  private FileText text(JsonNode value) {
    try {
      String text = value.isTextual() ? value.asText() : LINES.writeValueAsString(value);
      return reader.of(text.getBytes(StandardCharsets.UTF_8));
    } catch (JsonProcessingException inMemory) {
      throw new IllegalStateException(inMemory);
    }
  }

  @Override
  public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
    return Optional.of(new Events(listener));
  }

  private String label() {
    return "blackboard:" + board.scope().path() + (keys.equals("*") ? "" : "?keys=" + keys);
  }

  private SourceReading.Refused refused(String reason) {
    return new SourceReading.Refused(label() + ": " + reason);
  }

  /** Events of the entries, gathered for the debounce time. */
  private final class Events implements SourceWatch, Flow.Subscriber<BlackboardEvent> {

    private final Listener listener;
    private final ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("source-watch").factory());
    private Flow.Subscription subscription;
    private ScheduledFuture<?> due;
    private boolean closed;

    Events(Listener listener) {
      this.listener = listener;
      board.subscribe(keys, SubscribeFrom.now()).subscribe(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription newSubscription) {
      subscription = newSubscription;
      if (closed) {
        newSubscription.cancel();
      } else {
        newSubscription.request(Long.MAX_VALUE);
      }
    }

    @Override
    public synchronized void onNext(BlackboardEvent event) {
      if (!closed && (due == null || due.isDone())) {
        due = timer.schedule(this::tell, watching.debounce().toNanos(), TimeUnit.NANOSECONDS);
      }
    }

    private void tell() {
      try {
        listener.anything();
      } catch (RuntimeException failure) {
        LOG.warn("a change of {} was not dealt with", label(), failure);
      }
    }

    @Override
    public synchronized void onError(Throwable failure) {
      LOG.warn("{} is not watched any more: {}", label(), failure.toString());
    }

    @Override
    public void onComplete() {
      // the blackboard was closed
    }

    @Override
    public void close() {
      synchronized (this) {
        closed = true;
        if (subscription != null) {
          subscription.cancel();
        }
      }
      timer.close();
    }
  }

  /** {@code blackboard:SCOPE?keys=GLOB}. */
  public static final class Provider implements ContextPageSourceProvider {

    @Override
    public String scheme() {
      return "blackboard";
    }

    @Override
    public String form() {
      return "blackboard:SCOPE?keys=GLOB";
    }

    @Override
    public boolean needsBlackboards() {
      return true;
    }

    @Override
    public ContextPageSource open(SourceSpec spec, SourceContext context) {
      Scope scope = Scope.parse(spec.place());
      if (!scope.tenant().equals(context.tenant())) {
        throw new IllegalArgumentException(
            "%s: is of tenant %s, and the pages are to be of tenant %s"
                .formatted(spec, scope.tenant(), context.tenant()));
      }
      return new BlackboardSource(
          context
              .blackboards()
              .orElseThrow(() -> new IllegalArgumentException(spec + ": there is no blackboard"))
              .open(scope, "source"),
          spec.parameters().getOrDefault("keys", "*"),
          SourceSettings.fromConfig(context.config()),
          WatchSettings.USUAL);
    }
  }
}
