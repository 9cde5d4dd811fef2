/** Colony in a Spring Boot application; see docs/spring-boot.md. */
package dev.colony.spring;
