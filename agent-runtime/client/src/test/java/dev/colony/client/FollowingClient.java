package dev.colony.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;

/**
 * A program that follows a run and says on standard output, one line an event, what it has had and
 * where that was: {@code had DATA TOKEN}. Arguments: the URL of Redis, the agent, the run.
 */
final class FollowingClient {

  private FollowingClient() {}

  public static void main(String[] arguments) throws InterruptedException {
    ColonyClient client = ColonyClient.connect(arguments[0]);
    CountDownLatch ended = new CountDownLatch(1);
    client
        .colony()
        .agent(AgentId.parse(arguments[1]))
        .attach(new RunId(arguments[2]), RunOptions.namespace(PlayedAgent.NAMESPACE))
        .events()
        .subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
              }

              @Override
              public void onNext(RunProgress event) {
                System.out.println("had " + event.data() + " " + event.token());
              }

              @Override
              public void onError(Throwable failure) {
                failure.printStackTrace();
                ended.countDown();
              }

              @Override
              public void onComplete() {
                ended.countDown();
              }
            });
    ended.await();
    client.close();
  }
}
