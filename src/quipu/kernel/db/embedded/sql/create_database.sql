-- The database of the product; its encoding and locale are those of the cluster.
create database quipu encoding 'UTF8';
