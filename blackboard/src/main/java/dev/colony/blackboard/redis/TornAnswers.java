package dev.colony.blackboard.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.pubsub.PubSubCommandHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * Fails the oldest command under way when a connection ends, so that it is sent anew by the caller
 * that made it ({@link BrokenConnection}). Lettuce does so itself where a connection breaks with an
 * error. Where the server ends it in order, as the system does for a server that was killed,
 * Lettuce repeats the command as it stands, with all that it has read of the torn answer: what the
 * answer lists would come twice, or one level deeper.
 *
 * <p>On a pub/sub connection Lettuce itself subscribes anew; there it is only the PING of a
 * connection that was never ready which must not be repeated. The answers to a subscription to many
 * channels are as many as the channels, and Lettuce takes them for those of the commands behind it,
 * in their order: that of the PING would come to a subscription, which knows no such answer.
 */
final class TornAnswers extends ChannelInboundHandlerAdapter {

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    CommandHandler commands = context.pipeline().get(CommandHandler.class);
    if (commands != null) {
      RedisCommand<?, ?, ?> oldest = commands.getStack().peek();
      if (oldest != null && mustNotBeRepeated(commands, oldest)) {
        commands.getStack().remove(oldest);
        oldest.completeExceptionally(new IOException("the connection ended before the answer did"));
      }
    }
    super.channelInactive(context);
  }

  private static boolean mustNotBeRepeated(CommandHandler commands, RedisCommand<?, ?, ?> oldest) {
    return !(commands instanceof PubSubCommandHandler) || oldest.getType() == CommandType.PING;
  }
}
