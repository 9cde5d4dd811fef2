/**
 * HTTP/1.1 on Netty: a virtual thread for each exchange, which is interrupted as soon as its client
 * has gone. It knows nothing of models; it may use Netty alone.
 */
package dev.colony.replica.http;
