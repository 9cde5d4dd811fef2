package dev.colony.blackboard.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.redis.ClientSetup.TornAnswers;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.lettuce.core.pubsub.PubSubEndpoint;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which commands are failed when a connection ends, and which Lettuce may repeat. */
class TornAnswersTest {

  private static final ClientOptions OPTIONS = ClientOptions.create();

  private final ClientResources resources = ClientResources.create();

  @AfterEach
  void shutDown() {
    resources.shutdown();
  }

  @Test
  void theOldestCommandIsFailed() {
    CommandHandler handler =
        new CommandHandler(OPTIONS, resources, connected(new DefaultEndpoint(OPTIONS, resources)));
    AsyncCommand<?, ?, ?> oldest = command(CommandType.EVALSHA);
    AsyncCommand<?, ?, ?> next = command(CommandType.EVALSHA);
    end(handler, oldest, next);
    assertThat(oldest.isCompletedExceptionally()).isTrue();
    assertThat(oldest.exceptionNow()).isInstanceOf(IOException.class);
    assertThat(next.isDone()).isFalse();
  }

  @Test
  void ofASubscribersConnectionOnlyThePingIsFailed() {
    AsyncCommand<?, ?, ?> subscribing = command(CommandType.SUBSCRIBE);
    end(subscriber(), subscribing);
    assertThat(subscribing.isDone()).isFalse();
    AsyncCommand<?, ?, ?> ping = command(CommandType.PING);
    end(subscriber(), ping);
    assertThat(ping.exceptionNow()).isInstanceOf(IOException.class);
  }

  private PubSubCommandHandler<String, String> subscriber() {
    PubSubEndpoint<String, String> endpoint = new PubSubEndpoint<>(OPTIONS, resources);
    connected(endpoint);
    return new PubSubCommandHandler<>(OPTIONS, resources, StringCodec.UTF8, endpoint);
  }

  private static DefaultEndpoint connected(DefaultEndpoint endpoint) {
    endpoint.setConnectionFacade(
        new ConnectionFacade() {
          @Override
          public void activated() {}

          @Override
          public void deactivated() {}
        });
    return endpoint;
  }

  /** The commands are under way on a connection, which ends. */
  private static void end(CommandHandler handler, AsyncCommand<?, ?, ?>... commands) {
    EmbeddedChannel channel = new EmbeddedChannel(new TornAnswers(), handler);
    for (AsyncCommand<?, ?, ?> command : commands) {
      handler.getStack().add(command);
    }
    channel.close();
  }

  private static AsyncCommand<String, String, String> command(CommandType type) {
    return new AsyncCommand<>(new Command<>(type, new StatusOutput<>(StringCodec.UTF8)));
  }
}
