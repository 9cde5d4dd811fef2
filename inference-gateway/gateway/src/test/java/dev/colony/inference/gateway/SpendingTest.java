package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.hurried;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.Budget;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceFixtures;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.budget.BudgetSettings;
import dev.colony.inference.budget.InMemorySpendStore;
import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Spend;
import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Outcome;
import dev.colony.inference.budget.SpendStore;
import dev.colony.inference.budget.SpendStore.Book;
import dev.colony.inference.budget.SpendStore.SpendAccounts;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What calls spend, over HTTP, at gateways that share a store. */
class SpendingTest {

  private static final Book BOOK = new Book.OfTenant("acme");
  private static final String ALL = SpendAccounts.tenant("total");
  private static final String SCHEMA =
      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]}";

  /** What a reply of the server takes, which says so: 100 of the prompt and 10 of the reply. */
  private static final long TOKENS = 110;

  private final RecordingModelServer server =
      RecordingModelServer.start(call -> Reply.answer("fine"));
  private final List<HttpInferenceGateway> gateways = new ArrayList<>();
  private final Queue<Batch> entered = new ConcurrentLinkedQueue<>();
  private volatile Instant now = Instant.parse("2026-11-24T00:00:00Z");
  private final InMemorySpendStore store = new InMemorySpendStore(() -> now);

  @AfterEach
  void stop() {
    gateways.forEach(HttpInferenceGateway::close);
    server.close();
  }

  private HttpInferenceGateway gateway(String... lines) {
    Config config =
        config(
            Stream.concat(Stream.of("budget.period = total"), Arrays.stream(lines))
                .toArray(String[]::new));
    HttpInferenceGateway gateway =
        new HttpInferenceGateway(
            hurried(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "node-" + gateways.size(),
            ReplicaSet.of(() ->
                Stream.of("", "large", "small")
                    .map(model -> new Replica("r" + model, server.uri(), "node-0", model))
                    .toList()),
            ResidencyView.NONE,
            CallObserver.NONE,
            BacklogExchange.NONE,
            new Spending(BudgetSettings.fromConfig(config), watched(), () -> now));
    gateways.add(gateway);
    return gateway;
  }

  /** The store, with each batch kept that is entered. */
  private SpendStore watched() {
    return new SpendStore() {
      @Override
      public CompletionStage<Outcome> enter(Book book, Batch batch) {
        entered.add(batch);
        return store.enter(book, batch);
      }

      @Override
      public CompletionStage<Map<String, Spend>> spent(Book book, Collection<String> accounts) {
        return store.spent(book, accounts);
      }
    };
  }

  private long reservations() {
    return entered.stream()
        .flatMap(batch -> batch.entries().stream())
        .filter(Entry.Reserve.class::isInstance)
        .count();
  }

  private static CallContext acme() {
    return CallContext.of("acme", Duration.ofSeconds(30));
  }

  private static InferenceRequest call(CallContext context) {
    return request("c").context(context);
  }

  private Spend spent(String account) {
    return store
        .spent(BOOK, List.of(account))
        .toCompletableFuture()
        .join()
        .getOrDefault(account, Spend.NONE);
  }

  private void settled(long calls) {
    await().until(() -> spent(ALL).calls() == calls);
  }

  private static InferenceException failure(CompletableFuture<InferenceReply> call) {
    CompletionException failure = catchThrowableOfType(CompletionException.class, call::join);
    return (InferenceException) failure.getCause();
  }

  @Test
  void eachCompletionIsCountedOnceWhereNothingIsBounded() {
    HttpInferenceGateway gateway =
        gateway("budget.usual-model { prompt = 1, completion = \"2.5\" }");
    for (int i = 0; i < 3; i++) {
      gateway.complete(call(acme().session(Optional.of("s")))).join();
    }
    settled(3);
    assertThat(spent(ALL).tokens()).isEqualTo(3 * TOKENS);
    assertThat(spent(ALL).cost()).isEqualByComparingTo(new BigDecimal("0.000375"));
    assertThat(spent(SpendAccounts.session("s"))).isEqualTo(spent(ALL));
  }

  /** One that loops, at whichever node it is. */
  @ParameterizedTest
  @ValueSource(strings = {"tenants.acme.tokens", "tenants.acme.session-tokens", "run", "shared"})
  void aLoopIsStoppedWithinOneCallOfItsBudgetOnThreeNodes(String bound) {
    String[] lines =
        bound.contains(".") ? new String[] {"budget." + bound + " = 10000"} : new String[0];
    Budget most = new Budget(Optional.of(10_000L), Optional.empty());
    Budget run = bound.equals("run") ? most : Budget.UNLIMITED;
    Optional<CallContext.Shared> shared =
        Optional.of(new CallContext.Shared("question q", most)).filter(s -> bound.equals("shared"));
    IntStream.range(0, 3).forEach(i -> gateway(lines));
    CallContext context = acme().session(Optional.of("s")).run("r").runBudget(run);
    int answered = 0;
    Optional<InferenceException> end = Optional.empty();
    while (end.isEmpty()) {
      // Of several agents' runs, where they share it.
      CallContext one = shared.isPresent() ? context.run("r" + answered).shared(shared) : context;
      CompletableFuture<InferenceReply> call = gateways.get(answered % 3).complete(call(one));
      try {
        call.join();
        answered++;
      } catch (CompletionException failed) {
        end = Optional.of((InferenceException) failed.getCause());
      }
    }
    assertThat(end.get().kind()).isEqualTo(Kind.OUT_OF_BUDGET);
    assertThat(end.get()).hasMessageContaining("has spent its budget of 10000 tokens");
    assertThat(end.get().retryable()).isFalse();
    settled(answered);
    assertThat(spent(ALL).tokens()).isBetween(10_000L, 10_000 + TOKENS - 1);
    assertThat(server.chats()).hasSize(answered);
  }

  /** Each reply is nonsense and asked for once more, and that counts too. */
  @Test
  void soIsOneThatGetsNothingButNonsense() {
    server.chat(call -> Reply.answer("nonsense"));
    IntStream.range(0, 3).forEach(i -> gateway("budget.tenants.acme.tokens = 10000"));
    List<Kind> kinds = new ArrayList<>();
    for (int i = 0; kinds.isEmpty() || kinds.getLast() != Kind.OUT_OF_BUDGET; i++) {
      InferenceRequest asked = InferenceFixtures.withSchema(call(acme()), SCHEMA);
      kinds.add(failure(gateways.get(i % 3).complete(asked)).kind());
    }
    assertThat(kinds.subList(0, kinds.size() - 1)).containsOnly(Kind.BAD_REPLY);
    settled(server.chats().size());
    assertThat(spent(ALL).tokens())
        .isEqualTo(TOKENS * server.chats().size())
        .isBetween(10_000L, 10_000 + TOKENS - 1);
  }

  /** It is the same for all models, so none is asked in place of another. */
  @Test
  void aSpentBudgetIsRefusedOnceHoweverManyModelsMayAnswer() {
    HttpInferenceGateway gateway =
        gateway(
            "models.large { url = \"%s\", fallbacks = [small] }".formatted(server.uri()),
            "models.small.url = \"%s\"".formatted(server.uri()),
            "budget.tenants.acme.tokens = 10");
    InferenceRequest large = call(acme()).model(new ModelChoice.Named("large"));
    gateway.complete(large).join();
    settled(1);
    long before = reservations();
    assertThat(failure(gateway.complete(large)).kind()).isEqualTo(Kind.OUT_OF_BUDGET);
    assertThat(reservations()).isEqualTo(before + 1);
    assertThat(server.chats()).hasSize(1);
  }

  /** A server that says so of its own key is another matter. */
  @Test
  void whatIsUsedUpAtOneServerIsAskedOfTheNextModel() {
    server.chat(call ->
        call.body().contains("\"large\"") ? Reply.status(402, "pay") : Reply.answer("fine"));
    HttpInferenceGateway gateway =
        gateway(
            "models.large { url = \"%s\", fallbacks = [small] }".formatted(server.uri()),
            "models.small.url = \"%s\"".formatted(server.uri()),
            "budget.tenants.acme.tokens = 1000");
    InferenceRequest large = call(acme()).model(new ModelChoice.Named("large"));
    assertThat(gateway.complete(large).join().text()).isEqualTo("fine");
    settled(1);
  }

  /** However many are under way: what they may take is held back before they begin. */
  @Test
  void soAreCallsThatAreMadeAtOnce() {
    server.chat(call -> Reply.answer("nonsense"));
    IntStream.range(0, 3).forEach(i -> gateway("budget.tenants.acme.tokens = 2000"));
    List<CompletableFuture<InferenceReply>> calls =
        IntStream.range(0, 90)
            .mapToObj(i ->
                gateways
                    .get(i % 3)
                    .complete(
                        InferenceFixtures.withSchema(request("c", "p").context(acme()), SCHEMA)))
            .toList();
    calls.forEach(one -> assertThat(failure(one).kind()).isIn(Kind.OUT_OF_BUDGET, Kind.BAD_REPLY));
    settled(server.chats().size());
    // A call reserves its prompt, estimated as 109, and a reply of 50.
    assertThat(spent(ALL).tokens()).isBetween(2_000L, 2_000L + 160);
  }

  @Test
  void aFailureIsCountedWithWhatItTook() {
    server.chat(call ->
        Reply.eventsThenClose(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"eight ch\"}}]}"));
    HttpInferenceGateway gateway = gateway("gateway.max-attempts = 2");
    InferenceException failure = failure(gateway.complete(call(acme())));
    assertThat(failure.kind()).isEqualTo(Kind.BROKEN_OFF);
    settled(2);
    assertThat(spent(ALL).usage()).isEqualTo(failure.usage());
    assertThat(spent(ALL).usage().completionTokens()).isEqualTo(4);
  }

  @Test
  void whatNoServerHasTakenCostsNothing() {
    server.chat(call -> Reply.status(400, "no"));
    HttpInferenceGateway gateway = gateway("budget.tenants.acme.tokens = 1");
    assertThat(failure(gateway.complete(call(acme()))).kind()).isEqualTo(Kind.REFUSED);
    server.chat(call -> Reply.answer("fine"));
    assertThat(gateway.complete(call(acme())).join().text()).isEqualTo("fine");
    settled(1);
  }

  @Test
  void aCancelledCallIsCountedWithWhatWasBegunOfItsReply() {
    server.chat(call ->
        Reply.eventsThenHang(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"eight ch\"}}]}"));
    HttpInferenceGateway gateway = gateway("budget.tenants.acme.tokens = 100000");
    CompletableFuture<Void> begun = new CompletableFuture<>();
    CompletableFuture<InferenceReply> call =
        gateway.complete(
            call(acme()),
            part -> {
              if (part instanceof dev.colony.inference.InferenceDelta.Text) {
                begun.complete(null);
              }
            });
    begun.join();
    call.cancel(true);
    settled(1);
    assertThat(spent(ALL).usage().completionTokens()).isEqualTo(2);
  }

  /** Its node is gone and nothing settles it: its prompt counts. */
  @Test
  void whatADeadNodeHadReservedIsFreeAfterTheLease() throws Exception {
    Config config = config("budget.period = total", "budget.tenants.acme.tokens = 40");
    Spending dead = new Spending(BudgetSettings.fromConfig(config), store, () -> now);
    assertThat(dead.completion(call(acme()), "", 30, 50).reserve(Duration.ofSeconds(5))).isEmpty();
    HttpInferenceGateway gateway = gateway("budget.tenants.acme.tokens = 40");
    InferenceRequest hurried = call(acme().deadline(Duration.ofMillis(100)));
    InferenceException failure = failure(gateway.complete(hurried));
    assertThat(failure.kind()).isEqualTo(Kind.OVERLOADED);
    assertThat(failure).hasMessageContaining("calls under way of tenant acme in total may take");
    assertThat(failure.retryAfter()).isPresent();
    now = now.plus(BudgetSettings.LEASE).plusSeconds(1);
    assertThat(gateway.complete(call(acme())).join().text()).isEqualTo("fine");
    await().until(() -> spent(ALL).tokens() == 30 + TOKENS);
  }

  /** A call that may not begin yet leaves its slot to others. */
  @Test
  void aCallThatWaitsForItsRateHoldsNoSlot() {
    Semaphore replies = new Semaphore(0);
    server.chat(call -> {
      replies.acquireUninterruptibly();
      return Reply.answer("fine");
    });
    HttpInferenceGateway gateway =
        gateway(
            "gateway.max-concurrent-per-replica = 1",
            "budget.tenants.acme.requests-per-minute = 1");
    CompletableFuture<InferenceReply> first = gateway.complete(call(acme()));
    replies.release();
    first.join();
    CompletableFuture<InferenceReply> waits =
        gateway.complete(call(acme().deadline(Duration.ofMinutes(5))));
    await().until(() -> gateway.delayed() == 1);
    replies.release();
    CallContext other = CallContext.of("blue", Duration.ofSeconds(30));
    assertThat(gateway.complete(request("o").context(other)).join().text()).isEqualTo("fine");
    assertThat(waits).isNotDone();
  }

  @Test
  void aRateThatLeavesNoTimeIsToldWithWhenToAskAgain() {
    HttpInferenceGateway gateway = gateway("budget.usual-model.requests-per-minute = 1");
    gateway.complete(call(acme())).join();
    InferenceException failure = failure(gateway.complete(call(acme())));
    assertThat(failure.kind()).isEqualTo(Kind.OVERLOADED);
    assertThat(failure).hasMessageContaining("is used up: the call would begin after its deadline");
    assertThat(failure.retryAfter().get())
        .isBetween(Duration.ofSeconds(55), Duration.ofSeconds(60));
  }

  @Test
  void aCallWithoutATenantIsNotSummed() {
    AtomicInteger calls = new AtomicInteger();
    server.chat(call -> Reply.answer("fine " + calls.incrementAndGet()));
    gateway("budget.usual-tenant.tokens = 1").complete(request("c")).join();
    assertThat(calls).hasValue(1);
    assertThat(store.spent(new Book.OfTenant(""), List.of(ALL)).toCompletableFuture().join())
        .isEqualTo(Map.of());
  }
}
