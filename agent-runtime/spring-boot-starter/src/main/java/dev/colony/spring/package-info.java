/** Colony in a Spring Boot application; see docs/guides/spring-boot.md. */
package dev.colony.spring;
